import { MAX_EXPORTED } from '@voelgoed/contract/personal-data'
import { listAuditOf } from '@voelgoed/kit/audit/audit-log'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { listGuestPlacesOf, listWhitelistsOf } from '../guests/tables/guests-of-person.ts'
import { listHoldsOfPerson } from '../holds/tables/holds-of-person.ts'
import { listMailsOf } from '../mail/tables/mails-of-person.ts'
import { changedOrderAnswer } from '../orders/order-answers.ts'
import { readOrder } from '../orders/tables/orders.ts'
import { listOrderIdsOf } from '../orders/tables/orders-of-person.ts'
import { readOrganization } from '../people/tables/organizations.ts'
import { readName } from '../people/tables/personal-data.ts'
import type { ManagedUser } from '../people/tables/users.ts'
import { listSessions } from '../sign-in/tables/sessions.ts'
import { listWaysIn } from '../sign-in/tables/ways-in.ts'
import { personToFind } from './person.ts'

/** Orders that are read at once, in one connection. */
const ORDERS_AT_ONCE = 20

/** Reads all that the organization has of a person, but secrets, hashes and the tokens of tickets. */
export async function exportPerson(tx: TenantTx, user: ManagedUser, now: number): Promise<object> {
  const { userId } = user
  const person = personToFind(user)
  const most = MAX_EXPORTED + 1
  const orderIds = await listOrderIdsOf(tx, person, most)
  const { id, name, slug } = await readOrganization(tx)
  const incomplete: string[] = []
  const upToMost = <Row>(list: string, rows: readonly Row[]): readonly Row[] => {
    if (rows.length > MAX_EXPORTED) incomplete.push(list)
    return rows.slice(0, MAX_EXPORTED)
  }
  const orders: object[] = []
  const ids = upToMost('orders', orderIds)
  for (let first = 0; first < ids.length; first += ORDERS_AT_ONCE) {
    const some = ids.slice(first, first + ORDERS_AT_ONCE)
    const whole = await Promise.all(some.map(one => readOrder(tx, one)))
    orders.push(...whole.map(order => changedOrderAnswer(order!)))
  }
  const holds = upToMost('holds', await listHoldsOfPerson(tx, userId, most))
  const mails = upToMost('mails', await listMailsOf(tx, userId, ids, most))
  const whitelists = upToMost('whitelists', await listWhitelistsOf(tx, person, most))
  const guests = upToMost('guest_places', await listGuestPlacesOf(tx, person, most))
  const audit = upToMost('audit', await listAuditOf(tx, userId, most))
  const sessions = upToMost('sessions', await listSessions(tx, userId, most))
  const identities = await listWaysIn(tx, userId)
  return {
    exported_at: new Date(now).toISOString(),
    organization: { id, name, slug },
    account: {
      id: userId,
      email: user.email,
      email_proven: user.isEmailProven,
      name: await readName(tx, userId),
      role: user.role,
      membership_tier: user.membershipTier,
      membership_status: user.membershipStatus,
      disabled: user.isDisabled,
      second_factor: user.hasSecondFactor,
      created_at: user.createdAt.toISOString(),
    },
    identities: identities.map(({ created_at, ...identity }) => ({
      ...identity,
      created_at: iso(created_at),
    })),
    sessions: sessions.map(({ created_at, expires_at, user_agent, ip }) => {
      return { created_at: iso(created_at), expires_at: iso(expires_at), device: user_agent, address: ip }
    }),
    orders,
    holds: holds.map(({ ip, created_at, ...hold }) => ({
      ...hold,
      address: ip,
      created_at: iso(created_at),
    })),
    mails: mails.map(({ created_at, ...mail }) => ({ ...mail, created_at: iso(created_at) })),
    whitelists: whitelists.map(({ added_at, ...entry }) => ({ ...entry, added_at: iso(added_at) })),
    guest_places: guests.map(({ email_key, named_at, ...place }) => {
      return { ...place, email: email_key, named_at: iso(named_at) }
    }),
    audit: audit.map(({ at, action, ip, user_agent }) => {
      return { at: iso(at), action, device: user_agent, address: ip }
    }),
    incomplete,
  }
}

const iso = (moment: Date) => moment.toISOString()
