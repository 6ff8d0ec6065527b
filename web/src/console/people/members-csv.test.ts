import { expect, it } from 'vitest'
import { decodeMembers, MAX_MEMBER_LINES, readMembersCsv } from './members-csv.ts'

it('reads columns by their header, in any order, and keeps the lines of the file', () => {
  const { rows } = readMembersCsv(
    'Name;Status;E-mail;Tier\nAnna;active;anna@example.org;gold\n\nBen;;ben@example.org;',
  )
  expect(rows).toEqual([
    { line: 2, email: 'anna@example.org', tier: 'gold', status: 'active' },
    { line: 4, email: 'ben@example.org', tier: '', status: '' },
  ])
})

it('reads address, tier and status without a header, and a cell that a spreadsheet made text', () => {
  const { rows } = readMembersCsv("anna@example.org,'=gold,expired\r\n")
  expect(rows).toEqual([{ line: 1, email: 'anna@example.org', tier: '=gold', status: 'expired' }])
})

it('takes a file in UTF-8, with its mark or without, and no other', () => {
  const list = 'anna@example.org,Vriendinne ê'
  const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding))
  expect(decodeMembers(bytes(list, 'utf8'))).toBe(list)
  expect(decodeMembers(bytes(`\ufeff${list}`, 'utf8'))).toBe(list)
  expect(decodeMembers(bytes(list, 'latin1'))).toBe(null)
  expect(decodeMembers(bytes(`\ufeff${list}`, 'utf16le'))).toBe(null)
})

it('says where it breaks off, and that there are too many lines', () => {
  expect(readMembersCsv('a@example.org,gold\n"b@example.org').brokenLine).toBe(2)
  const long = readMembersCsv('a@example.org\n'.repeat(MAX_MEMBER_LINES + 1))
  expect([long.rows.length, long.isTooMany]).toEqual([MAX_MEMBER_LINES, true])
  expect(readMembersCsv('a@example.org\n'.repeat(MAX_MEMBER_LINES)).isTooMany).toBe(false)
})
