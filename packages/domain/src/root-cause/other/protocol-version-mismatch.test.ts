import { answered, card, found, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const told = (protocolVersion: string) => ({ protocolVersion, isVersionTold: true as const })
const stated = (protocolVersion: string) => ({ protocolVersion, isVersionStated: true as const })
const declares = (...protocolVersions: readonly string[]) => card({ at: 0, protocolVersions })

causeTable('protocol_version_mismatch', [
  ['the card declares 0.3 and the payload tells 1.0 (C127)', [declares('0.3.0'), sent(), answered('working', told('1.0'))], 'strong 1, 3'],
  ['the card declares 1.0 and the payload tells 0.3', [declares('1.0'), sent(), answered('working', told('0.3'))], 'strong 1, 3'],
  ['the card declares 0.3 and the payload tells 0.1', [declares('0.3.0'), sent(), answered('working', told('0.1'))], 'strong 1, 3'],
  ['every such payload is named', [declares('0.3.0'), sent(), answered('working', told('1.0')), found('working', told('1.0'))], 'strong 1, 3, 4'],
  ['what the client speaks is not the worker\'s', [declares('0.3.0'), sent(stated('1.0')), answered('working', told('0.3'))], 'none'],
  ['what is declared is no version', [declares('latest'), sent(), answered('working', told('0.3'))], 'none'],
  ['the declared version', [declares('1.0'), sent(), answered('working', told('1.0'))], 'none'],
  ['one of two declared versions', [declares('1.0', '0.3'), sent(), answered('working', told('0.3'))], 'none'],
  ['patch levels do not matter', [declares('0.3.7'), sent(), answered('working', told('0.3'))], 'none'],
  ['0.2 and 0.3 look alike', [declares('0.2.5'), sent(), answered('working', told('0.3'))], 'none'],
  ['versions from 1.0 on look alike', [declares('1.1'), sent(), answered('working', told('1.0'))], 'none'],
  ['a version that the witness states is that of the payload', [declares('0.3.0'), sent(), answered('working', stated('1.0'))], 'stated 1, 3'],
  ['down to the minor number: 1.1 where 1.0 is declared', [declares('1.0'), sent(), answered('working', { ...told('1.1'), ...stated('1.1') })], 'stated 1, 3'],
  ['down to the minor number: 0.2 where 0.3 is declared', [declares('0.3.0'), sent(), answered('working', { ...told('0.2'), ...stated('0.2') })], 'stated 1, 3'],
  ['what the structure proves is proof, whoever states it as well', [declares('0.3.0'), sent(), answered('working', { ...told('1.0'), ...stated('1.0') })], 'strong 1, 3'],
  ['the stated version is a declared one', [declares('1.0', '1.1'), sent(), answered('working', stated('1.1'))], 'none'],
  ['a version that neither the structure nor the witness tells does not count', [declares('0.3.0'), sent(), answered('working', { protocolVersion: '1.0' })], 'none'],
  ['a card that declares none cannot be broken', [declares(), sent(), answered('working', told('1.0'))], 'none'],
  ['the card of then counts', [sent(), answered('working', { at: 2, ...told('1.0') }), card({ at: 9, protocolVersions: ['0.3.0'] })], 'none'],
])
