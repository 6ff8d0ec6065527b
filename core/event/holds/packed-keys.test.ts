import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ADDRESSES, type KeyCodec, UUIDS } from './key-codecs.ts'
import { PackedKeys } from './packed-keys.ts'

const uuid = fc.uuid()
/** Few of them, so that they are added and removed again and again, and stand close together. */
const nearUuid = fc.nat(40).map(n => `00000000-0000-0000-0000-${n.toString(16).padStart(12, '0')}`)
const ipv4 = fc.ipV4()
const network = fc
  .tuple(fc.nat(0xffff), fc.nat(3), fc.constantFrom(0, 0xdb8), fc.constantFrom(0, 1))
  .map(groups => `${groups.map(group => group.toString(16)).join(':')}::/64`)

describe.each<[string, KeyCodec, fc.Arbitrary<string>]>([
  ['ids', UUIDS, fc.oneof(nearUuid, nearUuid, uuid, fc.string({ maxLength: 3 }))],
  [
    'addresses',
    ADDRESSES,
    fc.oneof(ipv4, network, fc.ipV6(), fc.constantFrom('::/64', '010.0.0.1', '1.2.3')),
  ],
])('keys of %s', (_name, codec, key) => {
  test('are found where they were put, whatever was added and removed, and come back as they were', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), key), { minLength: 1, maxLength: 200, size: 'max' })
    const property = fc.property(steps, fc.nat(), (steps, seed) => {
      const keys = new PackedKeys<string>(codec, { seed })
      const known = new Map<string, number>()
      for (const [isAdded, text] of steps) {
        const slot = known.get(text)
        if (isAdded) {
          const found = keys.findOrAdd(text)
          if (slot !== undefined) expect(found).toBe(slot)
          else {
            expect(found).toBeLessThan(0)
            known.set(text, ~found)
          }
        } else if (slot !== undefined) {
          keys.remove(slot)
          known.delete(text)
        }
        // Asked for again at once, as a command does it: by key, by slot, and in between another one.
        const now = known.get(text) ?? -1
        if (keys.find(text) !== now || keys.find(text) !== now) expect.fail(`${text} is in slot ${now}`)
        const [other, otherSlot] = known.entries().next().value ?? [text, now]
        if (otherSlot < 0) continue
        if (keys.keyOf(otherSlot) !== other) expect.fail(`slot ${otherSlot} has ${other}`)
        if (keys.isKeyOf(otherSlot, text) !== (text === other)) expect.fail(`slot ${otherSlot}: ${text}?`)
        if (!keys.isKeyOf(otherSlot, other)) expect.fail(`slot ${otherSlot}: ${other}?`)
      }
      for (const each of [keys, keys.copy()]) {
        each.assertSlots([...known.values()])
        for (const [text, slot] of known) {
          expect(each.find(text)).toBe(slot)
          expect(each.keyOf(slot)).toBe(text)
        }
        for (const [, text] of steps) if (!known.has(text)) expect(each.find(text)).toBe(-1)
      }
    })
    fc.assert(property, { seed: 20_260_801, numRuns: 200 })
  })
})

test('keys farther from their place than an entry can say are found, and move up when others go', () => {
  const keys = new PackedKeys<string>(ADDRESSES, { capacity: 6553 })
  // An index of 8,192 as full as it may be: some keys stand more than 63 entries behind their place.
  const texts = Array.from({ length: 6553 }, (_, n) => `10.${(n * 37) & 255}.${n >> 8}.${n & 255}`)
  const slots = texts.map(text => ~keys.findOrAdd(text))
  for (let at = 0; at < texts.length; at += 2) {
    keys.remove(slots[at]!)
    slots[at] = -1
    if (at % 512 === 0) expect(texts.map(text => keys.find(text))).toEqual(slots)
  }
  keys.assertSlots(slots.filter(slot => slot >= 0))
})

test('ids have the order of their text', () => {
  const property = fc.property(fc.uniqueArray(fc.oneof(uuid, nearUuid), { minLength: 2 }), texts => {
    const keys = new PackedKeys<string>(UUIDS)
    const slots = texts.map(text => ~keys.findOrAdd(text))
    slots.sort((a, b) => (keys.isBefore(a, b) ? -1 : 1))
    expect(slots.map(slot => keys.keyOf(slot))).toEqual([...texts].sort())
  })
  fc.assert(property, { seed: 20_260_801, numRuns: 200 })
})

test('a key with one spelling is packed, and one with several is not', () => {
  const packed = new Int32Array(4)
  const isPacked = (codec: KeyCodec) => (text: string) => codec.pack(text, packed)
  const id = '018f3c2a-9b7d-7c1e-8f00-0123456789ab'
  expect([id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'].map(isPacked(UUIDS))).toEqual([true, true])
  const odd = [
    id.toUpperCase(),
    id.replaceAll('-', '0'),
    `${id}0`,
    id.replace('a', 'g'),
    id.replace('a', 'İ'),
  ]
  expect(odd.map(isPacked(UUIDS))).toEqual([false, false, false, false, false])
  const addresses = ['0.0.0.0', '255.255.255.255', '10.0.0.1', '2001:db8::/64', 'fe80:0:0:1::/64']
  expect(addresses.map(isPacked(ADDRESSES))).toEqual([true, true, true, true, true])
  const others = [
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.',
    '01.2.3.4',
    '2001:DB8::/64',
    '2001:db8:0::/64',
    '::/64',
    '::1::/64',
  ]
  expect(others.map(isPacked(ADDRESSES))).toEqual(others.map(() => false))
})
