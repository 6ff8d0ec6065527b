/** The map writes so much of a name. */
export type NameText = 'whole' | 'broken' | 'short'

/** Null: the name has no such form. */
export function linesOf(name: string, text: NameText): string[] | null {
  if (text === 'whole') return [name]
  if (text === 'short') return shortened(name)
  const words = name.split(/\s+/)
  if (words.length < 2) return null
  // The name is cut so that its two lines are most alike in length.
  const cuts = words
    .slice(1)
    .map((_, at) => [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')])
  const longer = (lines: readonly string[]) => Math.max(...lines.map(line => line.length))
  return cuts.reduce((best, cut) => (longer(cut) < longer(best) ? cut : best))
}

/** `Section 101` → `101`, `Hospitality Lounge` → `HL`, `Hospitality` → `Hosp…`. */
function shortened(name: string): string[] | null {
  const numbered = /\S*\d\S*$/.exec(name)?.[0]
  if (numbered && numbered !== name) return [numbered]
  const words = name.split(/\s+/).filter(word => /^[\p{L}\p{N}]/u.test(word))
  if (words.length > 1) return [words.map(word => [...word][0]!.toUpperCase()).join('')]
  const letters = [...name]
  return letters.length > 6 ? [`${letters.slice(0, 4).join('')}…`] : null
}
