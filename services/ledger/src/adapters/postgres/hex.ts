/** Hashes are hex text in the domain and `bytea` in SQL. */
export const bytesOfHex = (hex: string): Buffer => Buffer.from(hex, 'hex')

/** For `$1::bytea[]`. */
export const bytesOfAll = (keys: Iterable<string>): Buffer[] => Array.from(keys, bytesOfHex)
