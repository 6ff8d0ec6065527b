import { createPublicKey, randomBytes, verify } from 'node:crypto'
import type { EventId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { formatToken, readToken, ticketPayload } from '@voelgoed/core/tickets/token'
import { KeySeal } from '@voelgoed/kit/base/seal-key'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { beforeEach, describe, expect, it } from 'vitest'
import type { NewTicketKey, TicketKeyRow } from './tables/ticket-keys.ts'
import { TicketKeys } from './ticket-keys.ts'

const scopeOf = (number: number) =>
  TenantScope.of(`0197a000-0000-7000-8000-${String(number).padStart(12, '0')}` as OrganizationId)
const OURS = scopeOf(1)
const THEIRS = scopeOf(2)
const TICKET = {
  eventId: '0197a000-0000-7000-8000-000000000006' as EventId,
  ticketId: '0197a000-0000-7000-8000-00000000000c' as TicketId,
  version: 1,
}
const SIGNING_KEY = randomBytes(32)

/** The table, by organization. */
let rows: Map<string, TicketKeyRow[]>
let reads: number
let elapsed: number

const database = {
  tenant: ({ organizationId }: TenantScope, work: (tx: object) => Promise<unknown>) =>
    work({
      async query(sql: string, values: unknown[] = []) {
        if (sql.includes('pg_advisory_xact_lock')) return []
        const table = rows.get(organizationId) ?? []
        if (sql.startsWith('insert')) {
          const [id, publicKey, sealedPrivateKey] = values as [string, Buffer, Buffer]
          if (table.length === 0) store(organizationId, { id, publicKey, sealedPrivateKey })
          return []
        }
        reads += 1
        return table.filter(row => row.retired_at === null)
      },
    }),
} as unknown as TenantDoor

const newKeys = (signingKey = SIGNING_KEY) =>
  new TicketKeys({ database, signingKey, clock: { now: () => 0, elapsed: () => elapsed } })

function store(organizationId: string, key: NewTicketKey): void {
  const { id, publicKey: public_key, sealedPrivateKey: sealed_private_key } = key
  const row = { id, public_key, sealed_private_key, created_at: new Date(), retired_at: null }
  const older = (rows.get(organizationId) ?? []).map(old => ({ ...old, replaced_at: new Date() }))
  rows.set(organizationId, [{ ...row, replaced_at: null }, ...older])
}

/** Does what another node would. */
function rotate(scope: TenantScope, { retire = false } = {}): void {
  store(scope.organizationId, newKeys().make(scope))
  const [first, ...older] = rows.get(scope.organizationId)!
  if (retire) {
    rows.set(scope.organizationId, [first!, ...older.map(old => ({ ...old, retired_at: new Date() }))])
  }
}

beforeEach(() => {
  rows = new Map()
  reads = 0
  elapsed = 0
})

describe('a ticket', () => {
  it('is verified by the organization that signed it, and by no other', async () => {
    const keys = newKeys()
    const token = await keys.sign(OURS, TICKET)
    expect(await keys.verify(OURS, token)).toEqual(TICKET)
    expect(await keys.verify(THEIRS, token)).toBeNull()
    await keys.sign(THEIRS, TICKET)
    expect(await keys.verify(THEIRS, token)).toBeNull()
  })

  it('is refused when anything of it was changed', async () => {
    const keys = newKeys()
    const { payload, signature } = readToken(await keys.sign(OURS, TICKET))!
    for (const bytes of [payload, signature]) {
      for (let at = 0; at < bytes.length; at += 1) {
        bytes[at]! ^= 1
        expect(await keys.verify(OURS, formatToken(payload, signature))).toBeNull()
        bytes[at]! ^= 1
      }
    }
    const newer = formatToken(ticketPayload({ ...TICKET, version: 2 }), signature)
    expect(await keys.verify(OURS, newer)).toBeNull()
    expect(await keys.verify(OURS, 'VG1.')).toBeNull()
  })

  it('can be verified with a public key alone, as a scanner without a network does', async () => {
    const keys = newKeys()
    const { payload, signature } = readToken(await keys.sign(OURS, TICKET))!
    const [first, ...others] = await keys.publicKeys(OURS)
    expect(others).toEqual([])
    const key = createPublicKey({ key: first!.publicKeySpki, format: 'der', type: 'spki' })
    expect(verify(null, payload, key, signature)).toBe(true)
  })
})

describe('keys', () => {
  it('are made with the first ticket; nodes that come later, or at once, use the same', async () => {
    const [a, b] = [newKeys(), newKeys()]
    expect(await a.verify(OURS, formatToken(ticketPayload(TICKET), new Uint8Array(64)))).toBeNull()
    expect(rows.size).toBe(0)
    const tokens = await Promise.all([a.sign(OURS, TICKET), b.sign(OURS, TICKET), a.sign(OURS, TICKET)])
    expect(new Set(tokens).size).toBe(1)
    expect(rows.get(OURS.organizationId)).toHaveLength(1)
  })

  it('are read once for many tickets', async () => {
    const keys = newKeys()
    await keys.publicKeys(OURS)
    reads = 0
    await Promise.all(Array.from({ length: 20 }, () => keys.sign(OURS, TICKET)))
    expect(reads).toBe(0)
  })

  it('that were replaced still verify; those that were retired do not', async () => {
    const keys = newKeys()
    const old = await keys.sign(OURS, TICKET)
    rotate(OURS)
    keys.forget(OURS.organizationId)
    const fresh = await keys.sign(OURS, TICKET)
    expect(fresh).not.toBe(old)
    expect(await keys.verify(OURS, old)).toEqual(TICKET)
    rotate(OURS, { retire: true })
    keys.forget(OURS.organizationId)
    expect(await keys.verify(OURS, old)).toBeNull()
    expect(await keys.verify(OURS, fresh)).toBeNull()
    expect(await keys.publicKeys(OURS)).toHaveLength(1)
  })

  it('of another node are found when a ticket is not verified, and not for each forged one', async () => {
    const keys = newKeys()
    await keys.sign(OURS, TICKET)
    rotate(OURS)
    const fresh = await newKeys().sign(OURS, TICKET)
    reads = 0
    for (let i = 0; i < 5; i += 1) expect(await keys.verify(OURS, fresh)).toBeNull()
    expect(reads).toBe(0)
    elapsed = 2_000
    expect(await keys.verify(OURS, fresh)).toEqual(TICKET)
    expect(reads).toBe(1)
  })

  it('that were retired unheard are used for a minute at most', async () => {
    const keys = newKeys()
    const old = await keys.sign(OURS, TICKET)
    rotate(OURS, { retire: true })
    elapsed = 59_999
    expect(await keys.verify(OURS, old)).toEqual(TICKET)
    elapsed = 60_000
    expect(await keys.verify(OURS, old)).toBeNull()
  })

  it('of the thousand organizations that asked last are kept', async () => {
    const keys = newKeys()
    for (let number = 1; number <= 1_003; number += 1) await keys.verify(scopeOf(number), forged)
    expect(keys.cached).toBe(1_000)
  })
  const forged = formatToken(ticketPayload(TICKET), new Uint8Array(64))

  it('are sealed for their row and their installation', async () => {
    await newKeys().sign(OURS, TICKET)
    await newKeys().sign(THEIRS, TICKET)
    const [our, their] = [rows.get(OURS.organizationId)![0]!, rows.get(THEIRS.organizationId)![0]!]
    await expect(newKeys(randomBytes(32)).sign(OURS, TICKET)).rejects.toThrow()
    // Their private key in our row opens nothing.
    rows.set(OURS.organizationId, [{ ...our, sealed_private_key: their.sealed_private_key }])
    await expect(newKeys().sign(OURS, TICKET)).rejects.toThrow()
    const seal = new KeySeal(SIGNING_KEY, 'ticket keys')
    const place = { organizationId: OURS.organizationId, keyId: our.id }
    expect(seal.open(our.sealed_private_key, place)).toHaveLength(48)
  })
})
