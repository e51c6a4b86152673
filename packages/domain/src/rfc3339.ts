/** RFC 3339 in UTC with milliseconds, of milliseconds since the epoch. */
// eslint-disable-next-line no-restricted-globals -- a Date of a given number is pure; ambient time is what is forbidden
export const rfc3339Of = (ms: number): string => new Date(ms).toISOString()
