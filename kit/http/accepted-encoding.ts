import type { Encoding } from './growing-document.ts'

/** The best of ours that the client takes. Quality values other than "not at all" make no difference here. */
export function acceptedEncoding(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  ours: readonly Encoding[] = ['br', 'gzip'],
): Encoding {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map(part => part.trim().toLowerCase())
    .filter(part => !/;\s*q=0(\.0*)?$/.test(part))
    .map(part => part.split(';')[0])
  return ours.find(encoding => accepted.includes(encoding)) ?? 'identity'
}
