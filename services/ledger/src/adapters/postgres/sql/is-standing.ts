/** That the row of `ledger.alias` named `row` is the newest of its stream, and a link. Its primary key. */
export const isStanding = (row: string): string =>
  `${row}.is_linked AND NOT EXISTS (
    SELECT FROM ledger.alias AS later WHERE later.from_hash = ${row}.from_hash AND later.position > ${row}.position)`
