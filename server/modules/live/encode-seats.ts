/** The encoder knows this of a layout version. */
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
  /** Companion seats that are kept: where one of them is blocked, that is why. In order, by ordinal. */
  readonly kept: Uint32Array
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
  /** Companion seats that are kept, in order, and where in `bytes` the word for it ends. */
  readonly keptOrdinals: Uint32Array
  readonly keptEnds: Uint32Array
}

const ID_BYTES = 36
const BEFORE_ID = Buffer.from('{"seat_id":"')
/** By code; the comma after the last one is left out. */
const AFTER_ID = ['', '","status":"held"},', '","status":"sold"},', '","status":"blocked"},'].map(text =>
  Buffer.from(text),
)
const AFTER_KEPT = Buffer.from('","status":"reserved_companion"},')
const HELD = 1
const BLOCKED = 3
/** After the word for the status. */
const REST = '"},'.length

/** The JSON answer for a buyer who holds nothing. Copies bytes: 20,000 seats take about 5 ms. */
export function encodeSeats(
  seats: EncoderSeats,
  { packed, kept, leftOut, head, tail }: SeatsToEncode,
): EncodedSeats {
  const { ids, zoneOf } = seats
  const isKept = new Set(kept)
  const listed: number[] = []
  let length = Buffer.byteLength(head) + Buffer.byteLength(tail)
  const afterOf = (ordinal: number, code: number) =>
    code === BLOCKED && isKept.has(ordinal) ? AFTER_KEPT : AFTER_ID[code]!
  let held = 0
  for (let ordinal = 0; ordinal < zoneOf.length; ordinal += 1) {
    const code = codeAt(packed, ordinal)
    if (code === 0 || leftOut[zoneOf[ordinal]!] === 1) continue
    listed.push(ordinal)
    length += BEFORE_ID.length + ID_BYTES + afterOf(ordinal, code).length
    if (code === HELD) held += 1
  }
  if (listed.length > 0) length -= 1
  const bytes = Buffer.from(new ArrayBuffer(length))
  const heldOrdinals = new Uint32Array(held)
  const heldEnds = new Uint32Array(held)
  const keptOrdinals: number[] = []
  const keptEnds: number[] = []
  let at = bytes.write(head)
  held = 0
  for (const [index, ordinal] of listed.entries()) {
    const code = codeAt(packed, ordinal)
    const after = afterOf(ordinal, code)
    bytes.set(BEFORE_ID, at)
    at += BEFORE_ID.length
    bytes.set(ids.subarray(ordinal * ID_BYTES, (ordinal + 1) * ID_BYTES), at)
    at += ID_BYTES
    bytes.set(index === listed.length - 1 ? after.subarray(0, -1) : after, at)
    at += after.length
    if (after === AFTER_KEPT) {
      keptOrdinals.push(ordinal)
      keptEnds.push(at - REST)
    }
    if (code !== HELD) continue
    heldOrdinals[held] = ordinal
    heldEnds[held] = at - REST
    held += 1
  }
  bytes.write(tail, length - Buffer.byteLength(tail))
  return {
    bytes,
    heldOrdinals,
    heldEnds,
    keptOrdinals: Uint32Array.from(keptOrdinals),
    keptEnds: Uint32Array.from(keptEnds),
  }
}

const HELD_BY_ME = { replaced: 'held'.length, by: Buffer.from('held_by_me') }
const FREE = { replaced: 'reserved_companion'.length, by: Buffer.from('available') }

/**
 * The same answer for a buyer who holds some of the seats, or for whom a companion seat is kept (by ordinal,
 * in order). A copy, in which a few words are others.
 */
export function markAsMine(encoded: EncodedSeats, mine: readonly number[]): Buffer {
  const { bytes, heldOrdinals, heldEnds, keptOrdinals, keptEnds } = encoded
  const words: Uint8Array[] = []
  let from = 0
  const replace = (end: number, { replaced, by }: typeof FREE) => {
    words.push(bytes.subarray(from, end - replaced), by)
    from = end
  }
  for (const ordinal of mine) {
    const held = indexOf(heldOrdinals, ordinal)
    const kept = indexOf(keptOrdinals, ordinal)
    if (held !== -1) replace(heldEnds[held]!, HELD_BY_ME)
    else if (kept !== -1) replace(keptEnds[kept]!, FREE)
  }
  return Buffer.concat([...words, bytes.subarray(from)])
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
