import { describe, expect, it } from 'vitest'
import { ClientAddresses, parseAddress } from './client-address.ts'

describe('an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7 ', '203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.9', '203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:80', '203.0.113.9', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1', '2001:db8::/64'],
    ['[2001:db8::1]:443', '2001:db8::1', '2001:db8::/64'],
    ['[2001:db8::1]', '2001:db8::1', '2001:db8::/64'],
    ['2001:DB8:0:0:ffff::2', '2001:db8::ffff:0:0:2', '2001:db8::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::1', 'fe80::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201', '64:ff9b::/64'],
    ['::1', '::1', '::/64'],
    ['::', '::', '::/64'],
  ])('%s is %s, and counts as %s', (given, ip, key) => {
    expect(parseAddress(given)).toEqual({ ip, key })
  })

  it.each([
    'unknown',
    '_hidden',
    '',
    'example.org',
    '203.0.113',
    '203.0.113.256',
    '1.2.3.4, 5.6.7.8',
    '[',
    '[]',
    ':::',
    '2001:db8::1::2',
    `${'1'.repeat(10_000)}`,
  ])('%s is none', given => {
    expect(parseAddress(given)).toBe(null)
  })
})

describe('the caller', () => {
  const from = (trusted: string[], remoteAddress: string | undefined, forwarded?: string) =>
    new ClientAddresses(trusted).of({
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress } as never,
    }).ip

  it('is at the other end of the connection, whatever the header says, unless that is a trusted proxy', () => {
    expect(from([], '192.0.2.1', '203.0.113.7')).toBe('192.0.2.1')
    expect(from(['10.0.0.0/8'], '192.0.2.1', '203.0.113.7')).toBe('192.0.2.1')
    expect(from(['10.0.0.0/8'], '10.1.2.3', '203.0.113.7')).toBe('203.0.113.7')
    expect(from(['10.1.2.3'], '::ffff:10.1.2.3', '203.0.113.7')).toBe('203.0.113.7')
    expect(from(['2001:db8::/32'], '2001:db8::5', '203.0.113.7')).toBe('203.0.113.7')
  })

  it('is the last address before the trusted proxies: what stands further left may be invented', () => {
    expect(from(['10.0.0.0/8'], '10.1.2.3', '1.1.1.1, 203.0.113.7,10.9.9.9')).toBe('203.0.113.7')
    expect(from(['10.0.0.0/8'], '10.1.2.3', '10.4.4.4, 10.9.9.9')).toBe('10.4.4.4')
  })

  it('is the proxy itself when the proxy forwards what is no address', () => {
    expect(from(['10.0.0.0/8'], '10.1.2.3', 'unknown')).toBe('10.1.2.3')
    expect(from(['10.0.0.0/8'], '10.1.2.3', '203.0.113.7, unknown')).toBe('10.1.2.3')
    expect(from(['10.0.0.0/8'], '10.1.2.3', '')).toBe('10.1.2.3')
    expect(from(['10.0.0.0/8'], '10.1.2.3', ','.repeat(8_000))).toBe('10.1.2.3')
  })

  it('is 0.0.0.0 when the connection is closed already', () => {
    expect(from([], undefined)).toBe('0.0.0.0')
  })
})
