// `npm run boundaries`: which way imports point, checked over the whole workspace.
import { workspaceRoot } from '../launch/node24.cjs'
import { cruise } from './cruise.ts'

const { moduleCount, violations } = cruise(workspaceRoot, ['packages', 'services', 'infra', 'test'])
for (const { rule, from, to } of violations) {
  console.log(`${rule}: ${from}${to === from ? '' : ` → ${to}`}`)
}
console.log(`${violations.length} violations in ${moduleCount} modules. The rules: .dependency-cruiser.cjs`)
process.exit(violations.length === 0 ? 0 : 1)
