/**
 * Arrays as parameters, in Postgres's binary format (array_recv): it copies them, where text would be parsed
 * value by value, and neither side has anything to quote. With the rows of the first edition it saved 10 of
 * 55 µs a hold in Postgres.
 *
 *   int32 dimensions = 1 · int32 has nulls · int32 type of the elements · int32 length
 *   · int32 first index = 1
 *   then for each element: int32 bytes (−1: null) · the bytes
 */
export function ints<Row>(rows: readonly Row[], cell: (row: Row) => number | null): Buffer {
  return fixed(rows, INT4, 4, (buffer, at, row) => {
    const value = cell(row)
    if (value !== null) buffer.writeInt32BE(value, at)
    return value !== null
  })
}

/** Whole numbers that a double holds exactly. */
export function bigints<Row>(rows: readonly Row[], cell: (row: Row) => number): Buffer {
  return fixed(rows, INT8, 8, (buffer, at, row) => {
    const value = cell(row)
    buffer.writeInt32BE(Math.floor(value / 2 ** 32), at)
    buffer.writeInt32BE(value | 0, at + 4)
    return true
  })
}

/** Milliseconds since 1970, as Postgres counts: microseconds since 2000. */
export function timestamps<Row>(rows: readonly Row[], cell: (row: Row) => number | null): Buffer {
  return fixed(rows, TIMESTAMPTZ, 8, (buffer, at, row) => {
    const value = cell(row)
    if (value === null) return false
    const micros = (value - YEAR_2000_MS) * 1000
    const high = Math.floor(micros / 2 ** 32)
    buffer.writeInt32BE(high, at)
    buffer.writeUInt32BE(micros - high * 2 ** 32, at + 4)
    return true
  })
}

export function uuids<Row>(rows: readonly Row[], cell: (row: Row) => string | null): Buffer {
  return fixed(rows, UUID, 16, (buffer, at, row) => {
    const value = cell(row)
    if (value !== null) writeUuid(buffer, at, value)
    return value !== null
  })
}

export function texts<Row>(rows: readonly Row[], cell: (row: Row) => string | null): Buffer {
  return variable(rows, TEXT, cell)
}

export function bytes<Row>(rows: readonly Row[], cell: (row: Row) => Buffer): Buffer {
  const cells = rows.map(cell)
  const size = cells.reduce((sum, bytes) => sum + 4 + bytes.length, HEADER)
  const buffer = Buffer.allocUnsafe(size)
  let at = HEADER
  for (const bytes of cells) {
    at = buffer.writeInt32BE(bytes.length, at)
    at += bytes.copy(buffer, at)
  }
  writeHeader(buffer, BYTEA, rows.length, false)
  return buffer
}

/**
 * Encodes labels of an enum. As text, because the number of its type differs from one database to the next.
 */
export function labels<Row>(rows: readonly Row[], cell: (row: Row) => string | null): string {
  let text = '{'
  for (const row of rows) {
    if (text.length > 1) text += ','
    text += cell(row) ?? 'NULL'
  }
  return `${text}}`
}

const [BYTEA, INT8, INT4, TEXT, TIMESTAMPTZ, UUID] = [17, 20, 23, 25, 1184, 2950] as const
const YEAR_2000_MS = Date.UTC(2000, 0, 1)
const HEADER = 20

function fixed<Row>(
  rows: readonly Row[],
  type: number,
  size: number,
  write: (buffer: Buffer, at: number, row: Row) => boolean,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + rows.length * (4 + size))
  let hasNulls = false
  let at = HEADER
  for (const row of rows) {
    if (write(buffer, at + 4, row)) {
      buffer.writeInt32BE(size, at)
      at += 4 + size
    } else {
      buffer.writeInt32BE(-1, at)
      at += 4
      hasNulls = true
    }
  }
  writeHeader(buffer, type, rows.length, hasNulls)
  return buffer.subarray(0, at)
}

function variable<Row>(rows: readonly Row[], type: number, cell: (row: Row) => string | null): Buffer {
  const cells = rows.map(cell)
  let most = HEADER
  // No character takes more than three bytes for each of its UTF-16 units.
  for (const text of cells) most += 4 + 3 * (text?.length ?? 0)
  const buffer = Buffer.allocUnsafe(most)
  let hasNulls = false
  let at = HEADER
  for (const text of cells) {
    const size = text === null ? -1 : buffer.write(text, at + 4)
    buffer.writeInt32BE(size, at)
    at += 4 + Math.max(0, size)
    hasNulls ||= text === null
  }
  writeHeader(buffer, type, rows.length, hasNulls)
  return buffer.subarray(0, at)
}

function writeHeader(buffer: Buffer, type: number, length: number, hasNulls: boolean): void {
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4)
  buffer.writeInt32BE(type, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16)
}

const DIGITS = new Uint8Array(128)
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGITS[digit.charCodeAt(0)] = value

/**
 * Lower case, as all ids are. Five times as fast as Buffer.write with 'hex', which needs the hyphens removed
 * first.
 */
function writeUuid(buffer: Buffer, at: number, id: string): void {
  let from = 0
  for (let byte = 0; byte < 16; byte += 1) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) from += 1
    buffer[at + byte] = (DIGITS[id.charCodeAt(from)]! << 4) | DIGITS[id.charCodeAt(from + 1)]!
    from += 2
  }
}
