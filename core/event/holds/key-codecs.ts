/**
 * How a key is packed into words of 32 bits. A key that `pack` takes has one spelling: `unpack` of its words
 * gives it back. Whatever else is used as a key is refused, and kept as text (packed-keys.ts).
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

/** What limits count as one address: IPv4, or the /64 of an IPv6 address, in 8 bytes. */
export const ADDRESSES: KeyCodec = {
  words: 2,
  pack: packAddress,
  unpack: (words, from) =>
    words[from] === 0 ? ipv4(words[from + 1]!) : network64(words[from]!, words[from + 1]!),
}

const DASH = 45
const NO_DIGIT = 1 << 16
/** By character: the digit, or more than four of them can be together. */
const DIGIT = Int32Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code))
  return digit < 0 ? NO_DIGIT : digit
})
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function packUuid(key: string, packed: Int32Array): boolean {
  if (key.length !== 36) return false
  if (key.charCodeAt(8) !== DASH || key.charCodeAt(13) !== DASH) return false
  if (key.charCodeAt(18) !== DASH || key.charCodeAt(23) !== DASH) return false
  const a = fourDigits(key, 0)
  const b = fourDigits(key, 4)
  const c = fourDigits(key, 9)
  const d = fourDigits(key, 14)
  const e = fourDigits(key, 19)
  const f = fourDigits(key, 24)
  const g = fourDigits(key, 28)
  const h = fourDigits(key, 32)
  if ((a | b | c | d | e | f | g | h) >= NO_DIGIT) return false
  packed[0] = (a << 16) | b
  packed[1] = (c << 16) | d
  packed[2] = (e << 16) | f
  packed[3] = (g << 16) | h
  return true
}

function fourDigits(key: string, at: number): number {
  return (
    (digitAt(key, at) << 12) |
    (digitAt(key, at + 1) << 8) |
    (digitAt(key, at + 2) << 4) |
    digitAt(key, at + 3)
  )
}

function digitAt(key: string, at: number): number {
  const code = key.charCodeAt(at)
  return code < 128 ? DIGIT[code]! : NO_DIGIT
}

function unpackUuid(words: Int32Array, from: number): string {
  const a = words[from]!
  const b = words[from + 1]!
  const c = words[from + 2]!
  const d = words[from + 3]!
  return `${half(a >>> 16)}${half(a)}-${half(b >>> 16)}-${half(b)}-${half(c >>> 16)}-${half(c)}${half(d >>> 16)}${half(d)}`
}

function half(bits: number): string {
  return HEX[(bits >>> 8) & 255]! + HEX[bits & 255]!
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
