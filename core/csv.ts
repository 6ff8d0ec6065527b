/** A record of a CSV text, and the line on which it begins. */
export interface CsvRecord {
  /** From 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** A quote that is opened and never closed, or text behind a closed one. */
export interface CsvBreak {
  readonly line: number
  readonly code: 'quote_not_closed' | 'text_after_quote'
}

/**
 * The records of a CSV text (RFC 4180), as spreadsheets write it: with or without a byte order mark, lines
 * that end in any of the three ways, cells between commas, semicolons or tabs: whichever comes first in the
 * text, outside of quotes. Empty lines are left out. Ends at the first break: where the next record begins is
 * not known then. Each character is looked at once. Records after `most` are not read.
 */
export function readCsv(text: string, most: number): { records: CsvRecord[]; broken: CsvBreak | null } {
  const end = text.length
  const separator = separatorOf(text)
  const records: CsvRecord[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  let line = 1
  while (at < end && records.length < most) {
    const beginsOn = line
    const cells: string[] = []
    for (;;) {
      if (text[at] === '"') {
        const cell = readQuoted(text, at)
        if (cell === null) return { records, broken: { line: beginsOn, code: 'quote_not_closed' } }
        cells.push(cell.value)
        line += cell.lines
        at = cell.end
        if (at < end && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') {
          return { records, broken: { line, code: 'text_after_quote' } }
        }
      } else {
        const from = at
        while (at < end && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') at += 1
        cells.push(text.slice(from, at))
      }
      if (text[at] !== separator) break
      at += 1
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n' || text[at - 1] !== '\r') at += 1
    line += 1
    if (cells.some(cell => cell.trim() !== '')) records.push({ line: beginsOn, cells })
  }
  return { records, broken: null }
}

/** `at`: the opening quote. Null: it is never closed. */
function readQuoted(text: string, at: number): { value: string; end: number; lines: number } | null {
  let value = ''
  let from = at + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return null
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') {
      return { value, end: quote + 1, lines: value.split(/\r\n|\r|\n/).length - 1 }
    }
    value += '"'
    from = quote + 2
  }
}

function separatorOf(text: string): string {
  let isQuoted = false
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted
    else if (!isQuoted && (letter === ',' || letter === ';' || letter === '\t')) return letter
  }
  return ','
}

/**
 * Spreadsheets run a cell that begins with one of these as a formula, full-width ones among them.
 *
 * A spreadsheet whose lists are parted by semicolons or tabs parts our cells there as well: it does not mind
 * a quote in the middle of its own cell. So what follows one of those, or a line break, begins a cell for it.
 * An apostrophe in front makes it text; `fromSpreadsheet` takes it off again.
 */
const SIGN = '[=+\\-@\uff1d\uff0b\uff0d\uff20]'
const FORMULA = new RegExp(`^(?:${SIGN}|[\\t\\r])`)
const INSIDE = new RegExp(`[;\\t\\r\\n][ "]*(?=${SIGN})`, 'g')
const MADE_TEXT = new RegExp(`^'(?=${SIGN}|[\\t\\r])|([;\\t\\r\\n][ "]*)'(?=${SIGN})`, 'g')
/** A number is no formula, and stays one. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map(cells => `${cells.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(cell: string): string {
  const parted = cell.replaceAll(INSIDE, "$&'")
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${parted}` : parted
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function fromSpreadsheet(cell: string): string {
  return cell.replaceAll(MADE_TEXT, '$1')
}
