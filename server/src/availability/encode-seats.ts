/** What the encoder knows of a layout version. */
export interface EncoderSeats {
  /** The ids of all seats by ordinal, 36 ASCII bytes each. */
  readonly ids: Uint8Array
  /** By ordinal: index of the zone. */
  readonly zoneOf: Uint16Array
}

/** One moment of an event, as the encoder gets it. */
export interface SeatsToEncode {
  /** Two bits a seat by ordinal. */
  readonly packed: Uint8Array
  /** By zone: 1 for a zone whose seats are not listed. */
  readonly leftOut: Uint8Array
  /** The JSON before and after the list of seats. */
  readonly head: string
  readonly tail: string
}

export interface EncodedSeats {
  readonly bytes: Uint8Array
  /** The seats that are held, in order, and where in `bytes` the word `held` of each ends. */
  readonly heldOrdinals: Uint32Array
  readonly heldEnds: Uint32Array
}

const ID_BYTES = 36
const BEFORE_ID = Buffer.from('{"seat_id":"')
/** By code; the comma after the last one is left out. */
const AFTER_ID = ['', '","status":"held"},', '","status":"sold"},', '","status":"blocked"},'].map(text =>
  Buffer.from(text),
)
const HELD = 1
const AFTER_HELD = '"},'.length

/** The JSON answer for a buyer who holds nothing. Copies bytes: 20,000 seats take about 5 ms. */
export function encodeSeats(
  seats: EncoderSeats,
  { packed, leftOut, head, tail }: SeatsToEncode,
): EncodedSeats {
  const { ids, zoneOf } = seats
  const listed: number[] = []
  let length = Buffer.byteLength(head) + Buffer.byteLength(tail)
  let held = 0
  for (let ordinal = 0; ordinal < zoneOf.length; ordinal += 1) {
    const code = codeAt(packed, ordinal)
    if (code === 0 || leftOut[zoneOf[ordinal]!] === 1) continue
    listed.push(ordinal)
    length += BEFORE_ID.length + ID_BYTES + AFTER_ID[code]!.length
    if (code === HELD) held += 1
  }
  if (listed.length > 0) length -= 1
  const bytes = Buffer.from(new ArrayBuffer(length))
  const heldOrdinals = new Uint32Array(held)
  const heldEnds = new Uint32Array(held)
  let at = bytes.write(head)
  held = 0
  for (const [index, ordinal] of listed.entries()) {
    const code = codeAt(packed, ordinal)
    const after = AFTER_ID[code]!
    bytes.set(BEFORE_ID, at)
    at += BEFORE_ID.length
    bytes.set(ids.subarray(ordinal * ID_BYTES, (ordinal + 1) * ID_BYTES), at)
    at += ID_BYTES
    bytes.set(index === listed.length - 1 ? after.subarray(0, -1) : after, at)
    at += after.length
    if (code !== HELD) continue
    heldOrdinals[held] = ordinal
    heldEnds[held] = at - AFTER_HELD
    held += 1
  }
  bytes.write(tail, length - Buffer.byteLength(tail))
  return { bytes, heldOrdinals, heldEnds }
}

const BY_ME = Buffer.from('_by_me')

/**
 * The same answer for a buyer who holds some of the seats (by ordinal, in order). A copy,
 * and a few bytes more.
 */
export function markAsMine({ bytes, heldOrdinals, heldEnds }: EncodedSeats, mine: readonly number[]): Buffer {
  const ends = mine.flatMap(ordinal => {
    const index = indexOf(heldOrdinals, ordinal)
    return index === -1 ? [] : [heldEnds[index]!]
  })
  const marked = Buffer.allocUnsafe(bytes.length + ends.length * BY_ME.length)
  let from = 0
  let to = 0
  for (const end of [...ends, bytes.length]) {
    marked.set(bytes.subarray(from, end), to)
    to += end - from
    from = end
    if (end === bytes.length) break
    marked.set(BY_ME, to)
    to += BY_ME.length
  }
  return marked
}

function codeAt(packed: Uint8Array, ordinal: number): number {
  return (packed[ordinal >> 2]! >> ((ordinal & 3) * 2)) & 3
}

function indexOf(sorted: Uint32Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return sorted[low] === value ? low : -1
}

const HEX = Buffer.from('0123456789abcdef')
const DASH = '-'.charCodeAt(0)

/** Ids of four words each, as the 36 ASCII bytes that answers name them with. */
export function idsAsText(words: Int32Array): Uint8Array {
  const ids = new Uint8Array((words.length / 4) * ID_BYTES)
  let at = 0
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    // Before and in the middle of the second and the third word.
    const hasDashes = (index & 3) === 1 || (index & 3) === 2
    for (let shift = 28; shift >= 0; shift -= 4) {
      if (hasDashes && (shift === 28 || shift === 12)) {
        ids[at] = DASH
        at += 1
      }
      ids[at] = HEX[(word >>> shift) & 15]!
      at += 1
    }
  }
  return ids
}
