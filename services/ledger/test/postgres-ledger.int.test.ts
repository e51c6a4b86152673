import { describeLedgerContract } from './ledger-contract.ts'
import { openTestLedger } from './open-test-ledger.ts'

describeLedgerContract('Postgres', openTestLedger)
