/**
 * Packs a key into words of 32 bits. A key that `pack` takes has one spelling: `unpack` of its words gives it
 * back. Whatever else is used as a key is refused, and kept as text (packed-keys.ts).
 */
export interface KeyCodec {
  readonly words: number
  /** Writes the key's words into `packed`; false: the key is not of this form. */
  pack(key: string, packed: Int32Array): boolean
  unpack(words: Int32Array, from: number): string
}

/** Ids: 16 bytes instead of 36 characters. Order of the words, without sign, is order of the text. */
export const UUIDS: KeyCodec = {
  words: 4,
  pack: packUuid,
  unpack: unpackUuid,
}

/** Limits count this as one address: IPv4, or the /64 of an IPv6 address, in 8 bytes. */
export const ADDRESSES: KeyCodec = {
  words: 2,
  pack: packAddress,
  unpack: (words, from) =>
    words[from] === 0 ? ipv4(words[from + 1]!) : network64(words[from]!, words[from + 1]!),
}

const DASH = 45
const NO_DIGIT = 255
/** By character, up to 127. */
const DIGIT = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code))
  return digit < 0 ? NO_DIGIT : digit
})
/** Four digits stand together here: two of these are a word. */
const FOURS = Uint8Array.of(0, 4, 9, 14, 19, 24, 28, 32)
const CODE = Uint8Array.from('0123456789abcdef', digit => digit.charCodeAt(0))

function packUuid(key: string, packed: Int32Array): boolean {
  if (key.length !== 36) return false
  if (key.charCodeAt(8) !== DASH || key.charCodeAt(13) !== DASH) return false
  if (key.charCodeAt(18) !== DASH || key.charCodeAt(23) !== DASH) return false
  let seen = 0
  let word = 0
  for (let four = 0; four < 8; four += 1) {
    const from = FOURS[four]!
    for (let at = from; at < from + 4; at += 1) {
      const code = key.charCodeAt(at)
      const digit = DIGIT[code & 127]!
      seen |= (code & ~127) | digit
      word = (word << 4) | digit
    }
    packed[four >> 1] = word
  }
  return seen < 16
}

/** One call for all characters: put together from parts, the text is flattened when it is first read. */
function unpackUuid(words: Int32Array, from: number): string {
  const a = words[from]!
  const b = words[from + 1]!
  const c = words[from + 2]!
  const d = words[from + 3]!
  // biome-ignore format: a line for each word
  return String.fromCharCode(
    code(a >>> 28), code(a >>> 24), code(a >>> 20), code(a >>> 16), code(a >>> 12), code(a >>> 8), code(a >>> 4), code(a),
    DASH, code(b >>> 28), code(b >>> 24), code(b >>> 20), code(b >>> 16), DASH, code(b >>> 12), code(b >>> 8), code(b >>> 4), code(b),
    DASH, code(c >>> 28), code(c >>> 24), code(c >>> 20), code(c >>> 16), DASH, code(c >>> 12), code(c >>> 8), code(c >>> 4), code(c),
    code(d >>> 28), code(d >>> 24), code(d >>> 20), code(d >>> 16), code(d >>> 12), code(d >>> 8), code(d >>> 4), code(d),
  )
}

function code(bits: number): number {
  return CODE[bits & 15]!
}

function packAddress(key: string, packed: Int32Array): boolean {
  if (key.endsWith('::/64')) return packNetwork64(key, packed)
  let parts = 0
  let part = -1
  let address = 0
  for (let at = 0; at <= key.length; at += 1) {
    const code = at < key.length ? key.charCodeAt(at) : 46
    if (code === 46) {
      if (part < 0) return false
      address = (address << 8) | part
      parts += 1
      part = -1
    } else if (code < 48 || code > 57 || part === 0) return false
    else {
      part = Math.max(part, 0) * 10 + code - 48
      if (part > 255) return false
    }
  }
  packed[0] = 0
  packed[1] = address
  return parts === 4
}

/** Networks whose first two groups are 0 stay text: with those bits, an address is IPv4. */
function packNetwork64(key: string, packed: Int32Array): boolean {
  const groups = key.slice(0, -5).split(':')
  if (groups.length > 4) return false
  for (let word = 0; word < 2; word += 1) {
    const [high, low] = [groups[2 * word] ?? '0', groups[2 * word + 1] ?? '0']
    packed[word] = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  }
  return packed[0] !== 0 && network64(packed[0]!, packed[1]!) === key
}

function ipv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`
}

/** The four groups of the network; zeros at its end go into `::`. */
function network64(high: number, low: number): string {
  const groups = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff]
  while (groups.at(-1) === 0) groups.pop()
  return `${groups.map(group => group.toString(16)).join(':')}::/64`
}
