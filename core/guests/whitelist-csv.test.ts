import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readCsv, writeCsv } from '../csv.ts'
import { readWhitelistCsv, writeWhitelistCsv } from './whitelist-csv.ts'
import { WHITELIST_CSV_ROWS } from './whitelist-limits.ts'

const anna = { email: 'anna@example.org', note: null }
const ben = { email: 'ben@example.org', note: 'Sponsor' }

describe('a whitelist from a spreadsheet', () => {
  test.each([
    ['one column', 'anna@example.org\nben@example.org', [anna, { ...ben, note: null }]],
    ['two columns', 'anna@example.org,\nben@example.org,Sponsor\n', [anna, ben]],
    ['a header', 'Email,Note\nanna@example.org,\nben@example.org,Sponsor\n', [anna, ben]],
    [
      'columns in another order, and more',
      'Note,Name,E-mail\n,A,anna@example.org\nSponsor,B,ben@example.org',
      [anna, ben],
    ],
    ['a header without notes', 'Name;E-pos\nAnna;anna@example.org', [anna]],
    ['semicolons', 'anna@example.org;\nben@example.org;Sponsor', [anna, ben]],
    ['tabs', 'ben@example.org\tSponsor', [ben]],
    [
      'a byte order mark and lines of Windows',
      '\ufeffanna@example.org\r\nben@example.org,Sponsor\r\n',
      [anna, ben],
    ],
    ['lines of an old Mac', 'anna@example.org\rben@example.org,Sponsor\r', [anna, ben]],
    ['empty lines', '\n\nanna@example.org\n,\n\nben@example.org,Sponsor\n\n', [anna, ben]],
    ['quotes', '"anna@example.org"\n"ben@example.org","Sponsor"', [anna, ben]],
    ['a note over two lines', 'ben@example.org,"A, ""B""\nC"', [{ ...ben, note: 'A, "B"\nC' }]],
    ['other spellings', ' Anna@EXAMPLE.org ', [anna]],
    ['an address twice', 'ben@example.org,Sponsor\nBEN@example.org,', [ben]],
    ['a formula made text', "ben@example.org,'=1+1", [{ ...ben, note: '=1+1' }]],
  ])('%s', (_, text, rows) => {
    expect(readWhitelistCsv(text)).toEqual({ ok: true, value: rows })
  })

  test.each([
    ['no address', 'email\n', [[1, 'empty']]],
    ['nothing', '\n\n', [[1, 'empty']]],
    [
      'what is no address',
      'anna@example.org\nanna@\nben\n',
      [
        [2, 'not_an_email'],
        [3, 'not_an_email'],
      ],
    ],
    ['a line without an address', 'anna@example.org,x\n,Sponsor', [[2, 'email_missing']]],
    ['a note that is too long', `ben@example.org,${'x'.repeat(201)}`, [[1, 'note_too_long']]],
    [
      'a quote that is not closed',
      'anna@example.org\nben\n"x,\ny',
      [
        [2, 'not_an_email'],
        [3, 'quote_not_closed'],
      ],
    ],
    ['text behind a quote', 'anna@example.org\n"ben"@example.org', [[2, 'text_after_quote']]],
    ['lines after a note over two lines', 'anna@example.org,"a\r\nb"\r\nben', [[3, 'not_an_email']]],
  ])('every fault with its line: %s', (_, text, faults) => {
    const read = readWhitelistCsv(text)
    expect(read.ok ? [] : read.problem.map(({ line, code }) => [line, code])).toEqual(faults)
  })

  test('as many rows as may be, and not one more', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@example.org`).join('\n')
    expect(readWhitelistCsv(`email\n${rows(WHITELIST_CSV_ROWS)}`).ok).toBe(true)
    const over = readWhitelistCsv(rows(WHITELIST_CSV_ROWS + 1))
    expect(over).toMatchObject({ problem: [{ line: WHITELIST_CSV_ROWS + 1, code: 'too_many_rows' }] })
  })

  test('a long text of combining marks is no address, and is not normalised', () => {
    const normalise = vi.spyOn(String.prototype, 'normalize')
    const read = readWhitelistCsv(`e${'\u0301\u0327'.repeat(100_000)}@example.org`)
    expect(read).toMatchObject({ problem: [{ line: 1, code: 'not_an_email' }] })
    expect(normalise).not.toHaveBeenCalled()
  })

  test('what is written is read again as it was, and no cell is a formula', () => {
    const rows = [anna, { ...ben, note: '=HYPERLINK("x")' }, { email: '+c@example.org', note: ' a;b\r\n"c"' }]
    const text = writeWhitelistCsv(rows)
    expect(text).not.toMatch(/(^|[,\n"])[=+]/)
    const read = readWhitelistCsv(text)
    expect(read).toEqual({ ok: true, value: [...rows.slice(0, 2), { ...rows[2], note: 'a;b\r\n"c"' }] })
  })
})

test('any table of cells comes back from its CSV', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '\r', '\n', ' ') })
  const row = fc.array(cell, { minLength: 2, maxLength: 3 }).map(cells => ['x', ...cells])
  const property = fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), rows => {
    const plain = rows.map(cells => cells.map(text => (/^[\t\r]/.test(text) ? `'${text}` : text)))
    const { records, broken } = readCsv(writeCsv(rows), 10)
    expect(broken).toBeNull()
    expect(records.map(({ cells }) => cells)).toEqual(plain)
  })
  fc.assert(property, { seed: 7, numRuns: 500 })
})
