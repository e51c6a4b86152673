export { nodeCodec } from '@a2a-ledger/node-codec'
