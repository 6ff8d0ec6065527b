import * as accounts from './accounts.ts'
import * as apiKeys from './api-keys.ts'
import * as audit from './audit.ts'
import * as checkouts from './checkouts.ts'
import * as eventSetup from './event-setup.ts'
import * as events from './events.ts'
import * as guests from './guests.ts'
import * as holds from './holds.ts'
import * as identityProvider from './identity-provider.ts'
import * as images from './images.ts'
import * as layouts from './layouts.ts'
import * as mails from './mails.ts'
import * as members from './members.ts'
import * as occupancy from './occupancy.ts'
import * as orders from './orders.ts'
import * as organization from './organization.ts'
import * as passwords from './passwords.ts'
import * as personalData from './personal-data.ts'
import * as prices from './prices.ts'
import * as refunds from './refunds.ts'
import * as registry from './registry.ts'
import * as reports from './reports.ts'
import type { Route } from './route.ts'
import * as running from './running.ts'
import * as scans from './scans.ts'
import * as secondFactor from './second-factor.ts'
import * as sellers from './sellers.ts'
import * as sessions from './sessions.ts'
import * as system from './system.ts'
import * as tickets from './tickets.ts'
import * as users from './users.ts'
import * as whitelist from './whitelist.ts'

/** The files of this folder that have routes. */
const areas = [
  running,
  accounts,
  passwords,
  organization,
  sellers,
  images,
  users,
  sessions,
  secondFactor,
  identityProvider,
  members,
  apiKeys,
  events,
  eventSetup,
  prices,
  layouts,
  holds,
  audit,
  registry,
  occupancy,
  whitelist,
  guests,
  orders,
  refunds,
  tickets,
  scans,
  reports,
  checkouts,
  mails,
  personalData,
  system,
] as const

/**
 * The table of all routes. Whatever walks it (server, OpenAPI, tests) sees a new route without being told.
 */
export const routes: readonly Route[] = areas.flatMap(area => Object.values<unknown>(area).filter(isRoute))

type RoutesIn<Area> = Area extends unknown ? Extract<Area[keyof Area], Route> : never
type AnyRoute = RoutesIn<(typeof areas)[number]>

/** The same table as a type, by name: `RouteTable['POST /api/sessions/guest']`. */
export type RouteTable = { readonly [R in AnyRoute as `${R['method']} ${R['path']}`]: R }

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'answers' in value
}
