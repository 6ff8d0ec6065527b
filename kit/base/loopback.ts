import { isIP } from 'node:net'

/** Only programs on this machine can reach such an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
