/**
 * Metadata of several events as one (F18): a name that an event lacks is not deleted, and of one that
 * several events have the last one said counts. Values stay where they are evidence, in the events.
 */
import { compareMoments, type Moment } from '../fact/moment.ts'

/** One name, and the event in which its value stands. */
export interface MetadataEntry {
  readonly name: string
  readonly position: number
}

/** Names that are kept of one task or artifact, at most. */
const namesMax = 100

/** The union of what each moment names, in order of first sight. */
export const unionOfMetadata = (
  told: readonly (Moment & { readonly metadataNames?: readonly string[] | undefined })[],
): readonly MetadataEntry[] => {
  const entries = new Map<string, number>()
  for (const { metadataNames, position } of told.toSorted(compareMoments)) {
    for (const name of metadataNames ?? []) {
      if (entries.has(name) || entries.size < namesMax) entries.set(name, position)
    }
  }
  return [...entries].map(([name, position]) => ({ name, position }))
}
