import type { SectionPlan } from './hall-plan.ts'

const ALL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const WITHOUT_I_AND_O = 'ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Names of rows from the first one on: A … Z, AA, AB …, or 1, 2, 3 …. */
export function rowNamer({
  rowNames,
  firstRow,
  skipsIAndO,
}: Pick<SectionPlan, 'rowNames' | 'firstRow' | 'skipsIAndO'>): (row: number) => string {
  if (rowNames === 'numbers') return row => String(Number(firstRow) + row)
  const letters = skipsIAndO ? WITHOUT_I_AND_O : ALL
  const first = indexOf(firstRow, letters)
  return row => nameOf(first + row, letters)
}

/** A is 0, Z is 25, AA is 26: a letter that is left out counts as the next one. */
function indexOf(name: string, letters: string): number {
  let index = 0
  for (const letter of name) {
    const known = letters.indexOf(letter)
    const digit = known === -1 ? letters.indexOf(String.fromCharCode(letter.charCodeAt(0) + 1)) : known
    index = index * letters.length + digit + 1
  }
  return index - 1
}

function nameOf(index: number, letters: string): string {
  let name = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / letters.length)) {
    name = letters[(rest - 1) % letters.length]! + name
  }
  return name
}
