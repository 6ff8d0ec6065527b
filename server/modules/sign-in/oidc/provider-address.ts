import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isLoopback } from '@voelgoed/kit/base/loopback'

/**
 * Decides where providers may be. An admin of any organization names their issuer, and the server asks what
 * the issuer's document names as well: without this, it could be made to ask machines behind its firewall.
 */
export class ProviderAddresses {
  readonly #arePrivateAllowed: boolean

  /** Private addresses are allowed by the operator alone, for a provider in the operator's own network. */
  constructor(arePrivateAllowed: boolean) {
    this.#arePrivateAllowed = arePrivateAllowed
  }

  /** The address as a URL; null: it may not be asked. Names are judged again when they are resolved. */
  read(text: string): URL | null {
    const url = URL.canParse(text) ? new URL(text) : null
    if (url?.username !== '' || url.password !== '' || url.hash !== '') return null
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isOwnMachine = this.#arePrivateAllowed && isLoopback(host)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwnMachine)) return null
    return isIP(host) !== 0 && !this.#mayAsk(host) ? null : url
  }

  /** The connection itself looks the name up here, so the name can not have another address by then. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      if (!addresses.every(({ address }) => this.#mayAsk(address))) {
        return callback(new AddressNotAllowed(hostname), [])
      }
      if (options.all) callback(null, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }

  #mayAsk(address: string): boolean {
    return this.#arePrivateAllowed || !isPrivate(address)
  }
}

export class AddressNotAllowed extends Error {
  constructor(host: string) {
    super(`${host} has an address in a private network`)
  }
}

/** Not on the public internet: of this machine, of a private network, or of no single machine at all. */
export function isPrivate(address: string): boolean {
  return isIP(address) === 6 ? V6.check(address, 'ipv6') || V4.check(address, 'ipv6') : V4.check(address)
}

const V4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
])

/**
 * Some addresses carry an IPv4 address (NAT64, 6to4, Teredo) and lead to any network behind their gateway.
 */
const V6 = blockList('ipv6', [
  ['::', 127],
  ['64:ff9b::', 32],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
])

function blockList(family: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family)
  return list
}
