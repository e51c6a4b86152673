const bindings: Readonly<Record<string, string>> = {
  jsonrpc: 'JSONRPC',
  grpc: 'GRPC',
  httpjson: 'HTTP+JSON',
  http: 'HTTP+JSON',
  rest: 'HTTP+JSON',
}

/** The name of a binding as cards and the contract spell it; an unknown one keeps its spelling. */
export const bindingOf = (name: string): string =>
  bindings[name.replace(/[^a-z]/gi, '').toLowerCase()] ?? name
