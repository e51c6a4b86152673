/** Raised by the guards (V9): going on would break a promise that somebody else relies on. */
export type ContractBreach =
  | 'state_not_advertised'
  | 'state_not_verified'
  | 'media_type_not_advertised'
  | 'media_type_not_verified'
  | 'unreconcilable'

/** `breach` says which promise, the message which values; never a statement about the task's outcome. */
export class CapabilityContractError extends Error {
  override readonly name = 'CapabilityContractError'
  readonly breach: ContractBreach

  constructor(breach: ContractBreach, message: string) {
    super(message)
    this.breach = breach
  }
}
