/** Tells Stryker to leave sentences for people alone: a test that repeats one would only say that it changed. */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** As much of a node of Babel's as matters here. */
interface Node {
  readonly type: string
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
  readonly expressions?: readonly { readonly type: string }[]
}

/** Codes, states and names have no spaces; three words in a row are a sentence. */
const isSentence = (text: string): boolean => /\p{L}\S* \S+ \S/u.test(text)

/** Names and calls only: where a sentence takes decisions, they are tested as any other. */
const isFilledIn = ({ expressions = [] }: Node): boolean =>
  expressions.every(({ type }) => ['Identifier', 'MemberExpression', 'CallExpression'].includes(type))

const isProse = (node: Node): boolean =>
  node.type === 'StringLiteral'
    ? isSentence(String(node.value))
    : node.type === 'TemplateLiteral' && isFilledIn(node) && isSentence((node.quasis ?? []).map(({ value }) => value.raw).join('…'))

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'prose', {
    shouldIgnore: (path) => (isProse((path as { readonly node: Node }).node) ? 'a sentence for people' : undefined),
  }),
]
