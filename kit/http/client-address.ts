import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** A request comes from here. Parsed here and nowhere else, so everything behind can trust it. */
export interface ClientAddress {
  /**
   * One spelling per address, which Postgres can store as `inet`. An IPv4 address in IPv6 clothes is IPv4.
   */
  readonly ip: string
  /** Limits count this: an IPv4 address, or the /64 of an IPv6 address, which is one household or server. */
  readonly key: string
}

/** More hops than any real chain of proxies has. */
const MAX_HOPS = 32

/** Addresses of connections that are remembered. What was forgotten is parsed again. */
const MAX_REMEMBERED = 10_000

/** The other end closed its connection before we asked for its address. */
const UNKNOWN: ClientAddress = { ip: '0.0.0.0', key: '0.0.0.0' }

/**
 * Reads the address of a request. `X-Forwarded-For` is read from the right, for as long as the address on the
 * right of it is a trusted proxy. A proxy that forwards something that is no address (`unknown`, a name)
 * counts as the caller itself.
 */
export class ClientAddresses {
  readonly #trusted: BlockList | null
  readonly #parsed = new Map<string, ClientAddress | null>()

  constructor(trustedNetworks: readonly string[]) {
    this.#trusted = trustedNetworks.length === 0 ? null : blockList(trustedNetworks)
  }

  of(request: Pick<IncomingMessage, 'headers' | 'socket'>): ClientAddress {
    const direct = this.#direct(request.socket.remoteAddress ?? '')
    if (direct === null) return UNKNOWN
    const header = request.headers['x-forwarded-for']
    if (this.#trusted === null || header === undefined) return direct
    const hops = (Array.isArray(header) ? header.join() : header).split(',')
    let caller = direct
    for (const hop of hops.reverse().slice(0, MAX_HOPS)) {
      if (!this.#isTrusted(caller)) break
      const before = parseAddress(hop)
      if (before === null) break
      caller = before
    }
    return caller
  }

  /** A connection's own address: parsed once for all requests that come from it. */
  #direct(text: string): ClientAddress | null {
    const known = this.#parsed.get(text)
    if (known !== undefined) return known
    const parsed = parseAddress(text)
    if (this.#parsed.size >= MAX_REMEMBERED) this.#parsed.clear()
    this.#parsed.set(text, parsed)
    return parsed
  }

  #isTrusted({ ip }: ClientAddress): boolean {
    return this.#trusted!.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6')
  }
}

/** An address with or without a port, brackets or a zone; `null` for anything else. */
export function parseAddress(given: string): ClientAddress | null {
  const text = bareAddress(given.trim())
  if (isIPv4(text)) return { ip: text, key: text }
  if (!isIPv6(text)) return null
  const groups = groupsOf(text)
  const v4 = mappedIPv4(groups)
  if (v4 !== null) return { ip: v4, key: v4 }
  return { ip: spell(groups), key: `${spell([...groups.slice(0, 4), 0, 0, 0, 0])}/64` }
}

function bareAddress(text: string): string {
  if (text.startsWith('[')) return withoutZone(text.slice(1).split(']', 1)[0]!)
  const [address, port, ...rest] = text.split(':')
  if (port !== undefined && rest.length === 0) return address!
  return withoutZone(text)
}

function withoutZone(text: string): string {
  return text.split('%', 1)[0]!
}

/** The eight numbers of an IPv6 address. */
function groupsOf(text: string): number[] {
  const [head = '', tail] = text.split('::') as [string, string?]
  const before = numbersOf(head)
  const after = numbersOf(tail ?? '')
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function numbersOf(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap(group => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number]
    return [a * 256 + b, c * 256 + d]
  })
}

function mappedIPv4(groups: readonly number[]): string | null {
  if (groups.slice(0, 5).some(group => group !== 0) || groups[5] !== 0xffff) return null
  const [high, low] = groups.slice(6) as [number, number]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** As RFC 5952 writes it: the longest run of zeros, of two or more, becomes `::`. */
function spell(groups: readonly number[]): string {
  let run = { start: 0, length: 0 }
  for (let start = 0; start < 8; start += 1) {
    let length = 0
    while (groups[start + length] === 0) length += 1
    if (length > run.length) run = { start, length }
  }
  const hex = groups.map(group => group.toString(16))
  if (run.length < 2) return hex.join(':')
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, prefix] = network.split('/') as [string, string?]
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family)
  }
  return list
}
