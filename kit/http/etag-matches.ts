/** Returns whether the client has it already, as its If-None-Match says. */
export function etagMatches(header: string | undefined, etag: string): boolean {
  return header?.split(',').some(candidate => candidate.trim().replace(/^W\//, '') === etag) ?? false
}
