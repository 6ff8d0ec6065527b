/** Domains as fingers mistype them, by the one that was meant. We know of no mailbox at one of these. */
const MISTYPED: Readonly<Record<string, readonly string[]>> = {
  'gmail.com': [
    ...['gmial.com', 'gmai.com', 'gmal.com', 'gmil.com', 'gamil.com', 'gnail.com', 'gmaill.com', 'gmaul.com'],
    ...[
      'gmali.com',
      'ggmail.com',
      'gmail.co',
      'gmail.cm',
      'gmail.om',
      'gmail.cmo',
      'gmail.vom',
      'gmail.comm',
    ],
    ...['gmail', 'gmial', 'gmail.co.za'],
  ],
  'yahoo.com': ['yaho.com', 'yahooo.com', 'yhoo.com', 'yahoo.cm', 'yahoo.cmo', 'yahoo'],
  'hotmail.com': [
    ...['hotmial.com', 'hotmal.com', 'hotmai.com', 'hotmil.com', 'homail.com', 'hotnail.com', 'hotmaill.com'],
    ...['hotmail.co', 'hotmail.cm', 'hotmail.cmo', 'hotmail'],
  ],
  'outlook.com': [
    'outlok.com',
    'outloo.com',
    'oulook.com',
    'outllook.com',
    'outlook.co',
    'outlook.cm',
    'outlook',
  ],
  'icloud.com': ['iclod.com', 'icoud.com', 'iclould.com', 'icloud.co', 'icloud.cm', 'icloud'],
  'mweb.co.za': ['mweb.co', 'mweb.za', 'mweb'],
  'vodamail.co.za': ['vodamail.com', 'vodamail.co', 'vodamail'],
  'telkomsa.net': ['telkomsa.com', 'telkomsa.co.za', 'telkomsa'],
}

const RIGHT = new Map(
  Object.entries(MISTYPED).flatMap(([right, wrong]) => wrong.map(domain => [domain, right] as const)),
)

/** Ends that no domain has. */
const ENDS = [
  [/\.(?:con|vom|cmo|comm)$/, '.com'],
  [/\.co\.(?:z|az|xa|sa)$/, '.co.za'],
  [/\.(?:coza|co,za|c\.za)$/, '.co.za'],
] as const

/** The address that was probably meant; null: nothing speaks against what was typed. */
export function meantEmail(typed: string): string | null {
  const at = typed.lastIndexOf('@')
  if (at < 1) return null
  const domain = typed
    .slice(at + 1)
    .trim()
    .toLowerCase()
  const ending = ENDS.find(([wrong]) => wrong.test(domain))
  const meant = RIGHT.get(domain) ?? (ending && domain.replace(ending[0], ending[1]))
  return meant === undefined ? null : typed.slice(0, at + 1).trim() + (RIGHT.get(meant) ?? meant)
}

/** Typing on may make a right domain of it: then it is too early to ask. */
export function isHalfTyped(typed: string): boolean {
  const domain = typed.slice(typed.lastIndexOf('@') + 1).toLowerCase()
  return Object.keys(MISTYPED).some(right => right !== domain && right.startsWith(domain))
}
