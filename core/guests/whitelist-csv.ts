import { type CsvBreak, fromSpreadsheet, readCsv, writeCsv } from '../csv.ts'
import { EMAIL_LENGTH, isEmail, normaliseEmail } from '../email.ts'
import type { CsvFault } from '../refusal.ts'
import { ok, type Result, refuse } from '../result.ts'
import { NOTE_LENGTH, WHITELIST_CSV_ROWS } from './whitelist-limits.ts'

export interface WhitelistRow {
  /** Normalised. */
  readonly email: string
  readonly note: string | null
}

/**
 * A whitelist from a spreadsheet: all of its rows, or every fault. With a header, its names say where the
 * address and the note are, and other columns are passed over; without one they are the first two columns. An
 * address that comes twice counts once, with its last note.
 */
export function readWhitelistCsv(text: string): Result<WhitelistRow[], CsvFault[]> {
  const { records, broken } = readCsv(text, WHITELIST_CSV_ROWS + 2)
  const columns = columnsOf(records[0]?.cells ?? [])
  const rows = columns.isHeader ? records.slice(1) : records
  const faults: CsvFault[] = []
  const found = new Map<string, WhitelistRow>()
  if (rows.length > WHITELIST_CSV_ROWS) {
    const { line } = rows[WHITELIST_CSV_ROWS]!
    const message = `Rows after the first ${WHITELIST_CSV_ROWS} can't be read at once: send them as another file.`
    return refuse([{ line, code: 'too_many_rows', message }])
  }
  for (const { line, cells } of rows) {
    const given = fromSpreadsheet((cells[columns.email] ?? '').trim())
    // Normalising takes the square of the length of some texts, so it gets no long ones.
    const email = given.length > EMAIL_LENGTH ? given : normaliseEmail(given)
    const note = fromSpreadsheet((cells[columns.note] ?? '').trim())
    if (email === '') {
      const message = 'The address is missing: write it, or remove the line.'
      faults.push({ line, code: 'email_missing', message })
    } else if (!isEmail(email)) {
      const message = `${shown(email)} is not an e-mail address: correct it, or remove the line.`
      faults.push({ line, code: 'not_an_email', message })
    } else if (note.length > NOTE_LENGTH || note.includes('\0')) {
      const message = `The note must have at most ${NOTE_LENGTH} characters, and no NUL: shorten it.`
      faults.push({ line, code: 'note_too_long', message })
    } else {
      found.set(email, { email, note: note || (found.get(email)?.note ?? null) })
    }
  }
  if (broken) faults.push({ ...broken, message: BREAKS[broken.code] })
  if (rows.length === 0 && !broken) {
    faults.push({ line: 1, code: 'empty', message: 'There is no address: write one on each line.' })
  }
  return faults.length > 0 ? refuse(faults) : ok([...found.values()])
}

export function writeWhitelistCsv(rows: readonly WhitelistRow[]): string {
  return writeCsv([['email', 'note'], ...rows.map(({ email, note }) => [email, note ?? ''])])
}

const BREAKS: Record<CsvBreak['code'], string> = {
  quote_not_closed: 'A quotation mark is opened here and never closed: close it, or write it twice.',
  text_after_quote:
    'There is text behind a closed quotation mark: write quotation marks inside a cell twice.',
}

/** A column may be so wide. */
const LONGEST_NAME = 40
const EMAIL_NAMES = new Set(['email', 'mail', 'emailaddress', 'epos', 'eposadres'])
const NOTE_NAMES = new Set(['note', 'notes', 'nota', 'comment'])

function columnsOf(first: readonly string[]): { isHeader: boolean; email: number; note: number } {
  const names = first.map(cell =>
    cell.length > LONGEST_NAME ? '' : cell.toLowerCase().replace(/[^\p{L}]/gu, ''),
  )
  const email = names.findIndex(name => EMAIL_NAMES.has(name))
  if (email === -1) return { isHeader: false, email: 0, note: 1 }
  return { isHeader: true, email, note: names.findIndex(name => NOTE_NAMES.has(name)) }
}

function shown(text: string): string {
  return `“${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`
}
