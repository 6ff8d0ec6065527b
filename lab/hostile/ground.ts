import {
  createOrganization,
  createUser,
  signIn,
  signOut,
  startGuestSession,
  whoAmI,
} from '@voelgoed/contract/accounts'
import { createEvent, publishEvent, replacePolicy } from '@voelgoed/contract/events'
import { createHolds } from '@voelgoed/contract/holds'
import { uploadImage } from '@voelgoed/contract/images'
import { activateLayoutVersion, createLayout, createVenue, readEventLayout } from '@voelgoed/contract/layouts'
import { addToWhitelist, listWhitelist } from '@voelgoed/contract/whitelist'
import { ROLES, type Role } from '@voelgoed/core/access'
import { festival } from '@voelgoed/core/layout/generate'
import type { Caller } from '../call-route.ts'
import { emailOf, foundOrganization, PASSWORD } from '../found-organization.ts'

/** Ids by the name that a parameter of a path gives them: `venue`, `event`, `seat` … */
export type Ids = Record<string, string[]>

export interface Tenant {
  readonly slug: string
  readonly tokens: Record<Role, string>
  readonly ids: Ids
}

/** The ground stands before the attack begins, so that requests get further than the door. */
export interface Ground {
  readonly rootKey: string
  readonly ours: Tenant
  /** Another organization, of which no user of ours may see or change anything. */
  readonly neighbour: Tenant
  readonly signedOutToken: string
  /** Sessions that an attack may end. */
  readonly guestTokens: string[]
}

/**
 * The user whom the attack leaves alone, so that there is always one to check with. An admin: an attack may
 * hit upon the setting that lets only admins change the policy.
 */
const KEEPER = 'keeper@lab.example'

/** Requests that carry an e-mail address often carry this one, so that they meet an account. */
export function victimOf(slug: string): string {
  return `victim@${slug}.example`
}

/** Old ones stay within reach for a while, in whatever state the attack has left them. */
const KEPT_VENUES = 3
/** Attacks publish, cancel or archive these events, and never those whose seats are held. */
export const EVENT_TO_CHANGE = 'event to change'
/** Attacks suspend these organizations, and never those whose users sign in. */
export const ORGANIZATION_TO_CHANGE = 'organization to change'
const GUESTS_A_TIME = 20
/** As PNG. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export async function prepareGround(caller: Caller, rootKey: string): Promise<Ground> {
  const spare = await caller.get(createOrganization, {
    token: rootKey,
    body: { name: 'spare', slug: 'spare' },
  })
  const tenant = async (slug: string): Promise<Tenant> => {
    const { id, people } = await foundOrganization(caller, rootKey, slug)
    await caller.get(createUser, {
      token: rootKey,
      params: { org: id },
      body: { email: KEEPER, password: PASSWORD, role: 'admin' },
    })
    const victim = await caller.get(createUser, {
      token: rootKey,
      params: { org: id },
      body: { email: victimOf(slug), password: PASSWORD, role: 'customer' },
    })
    return {
      slug,
      tokens: Object.fromEntries(ROLES.map(role => [role, people[role].token])) as Tenant['tokens'],
      ids: {
        org: [id],
        [ORGANIZATION_TO_CHANGE]: [spare.data.id],
        user: [victim.data.id],
      },
    }
  }
  const ground: Ground = {
    rootKey,
    ours: await tenant('ours'),
    neighbour: await tenant('neighbour'),
    signedOutToken: await endedSession(caller, 'ours'),
    guestTokens: [],
  }
  await build(caller, ground.neighbour, ground.neighbour.tokens.organizer)
  await refreshGround(caller, ground)
  return ground
}

/**
 * Signs in and works as if nothing had happened; throws when that is not possible. The attack uses things up
 * (it publishes, cancels, archives, signs out), so each round begins with new ones.
 */
export async function refreshGround(caller: Caller, ground: Ground): Promise<void> {
  const { ours } = ground
  const session = await caller.get(signIn, {
    body: { organization: ours.slug, email: KEEPER, password: PASSWORD },
  })
  const { token } = session.data
  await renewTokens(caller, ours)
  await caller.get(replacePolicy, {
    token,
    body: { max_seats_per_booking: null, max_holds_per_ip: null, holds_per_window: null },
  })
  await build(caller, ours, token)
  await caller.get(signOut, { token })
  ground.guestTokens.length = 0
  for (let guest = 0; guest < GUESTS_A_TIME; guest += 1) {
    const answer = await caller.get(startGuestSession, { body: { organization: ours.slug } })
    ground.guestTokens.push(answer.data.token)
  }
}

/** An attack may have hit upon signing out. */
async function renewTokens(caller: Caller, tenant: Tenant): Promise<void> {
  for (const role of ROLES) {
    const { status } = await caller.call(whoAmI, { token: tenant.tokens[role] })
    if (status === 200) continue
    const body = { organization: tenant.slug, email: emailOf(tenant.slug, role), password: PASSWORD }
    tenant.tokens[role] = (await caller.get(signIn, { body })).data.token
  }
}

/** A venue, an active layout and events on it: on sale, with a hold, and as drafts. */
async function build(caller: Caller, tenant: Tenant, token: string): Promise<void> {
  const venue = await caller.get(createVenue, { token, body: { name: 'Hall' } })
  const layout = await caller.get(createLayout, {
    token,
    params: { venue: venue.data.id },
    body: { name: 'Hall', config: { ...festival(), zones: festival().zones.slice(0, 3) } },
  })
  const layoutId = layout.data.layout_id
  await caller.get(activateLayoutVersion, { token, params: { layout: layoutId, v: '1' } })
  const addEvent = async (name: 'on sale' | 'draft') => {
    const body = { name, venue_id: venue.data.id, layout_id: layoutId }
    const event = (await caller.get(createEvent, { token, body })).data.id
    if (name === 'on sale') await caller.get(publishEvent, { token, params: { event } })
    return event
  }
  const event = await addEvent('on sale')
  const buyer = { token: tenant.tokens.customer, params: { event } }
  const { zones } = (await caller.get(readEventLayout, buyer)).data
  const standing = zones.find(zone => zone.zone_type === 'ga_standing')!
  const held = await caller.get(createHolds, { ...buyer, body: { zone_id: standing.zone_id, quantity: 2 } })

  const list = { token, params: { event } }
  await caller.get(addToWhitelist, { ...list, body: { entries: [{ email: 'friend@example.org' }] } })
  const entries = (await caller.get(listWhitelist, list)).data

  const image = await caller.get(uploadImage, {
    token,
    bytes: PIXEL,
    headers: { 'content-type': 'image/png' },
  })

  const { ids } = tenant
  ids.image = [image.data.image_id]
  ids.venue = [venue.data.id, ...(ids.venue ?? [])].slice(0, KEPT_VENUES)
  ids.layout = [layoutId, ...(ids.layout ?? [])].slice(0, KEPT_VENUES)
  ids.event = [event, await addEvent('on sale'), await addEvent('draft')]
  ids[EVENT_TO_CHANGE] = [await addEvent('on sale'), await addEvent('draft'), await addEvent('draft')]
  ids.zone = zones.map(zone => zone.zone_id)
  ids.seat = zones.flatMap(zone => zone.seats.slice(0, 40).map(seat => seat.seat_id))
  ids.hold = held.data.holds.map(hold => hold.hold_id)
  ids.entry = entries.map(entry => entry.entry_id)
}

async function endedSession(caller: Caller, organization: string): Promise<string> {
  const { token } = (await caller.get(startGuestSession, { body: { organization } })).data
  await caller.get(signOut, { token })
  return token
}
