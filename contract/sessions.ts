import { Type } from 'typebox'
import { Data, DateTime, Nullable, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** So many sessions of a user are listed, the newest first. */
export const MAX_LISTED_SESSIONS = 100

const Sessions = Data(
  Type.Array(
    Strict({
      session_id: Uuid,
      device: Nullable(Type.String({ description: 'What the browser or the program says of itself' })),
      address: Nullable(Type.String({ description: 'Of the network from which the session was started' })),
      created_at: DateTime,
      last_seen_at: Nullable(
        Type.String({ description: 'To about two minutes, of staff; null: not used yet, or a buyer' }),
      ),
      expires_at: DateTime,
      current: Type.Boolean({ description: 'The session that asks' }),
    }),
  ),
)

export const listOwnSessions = route({
  method: 'GET',
  path: '/api/sessions',
  summary: `Where I am signed in: from which device and address, and since when. The newest ${MAX_LISTED_SESSIONS}`,
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  answers: { 200: Sessions },
})

export const endOwnSession = route({
  method: 'DELETE',
  path: '/api/sessions/:session',
  summary: 'End one of my sessions: its token and its live feeds are dead from then on',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  whileSuspended: true,
  answers: { 204: null },
})

export const endOtherSessions = route({
  method: 'DELETE',
  path: '/api/sessions',
  summary: 'End all my sessions but the one that asks',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  whileSuspended: true,
  answers: { 200: Data(Strict({ sessions_ended: Type.Integer() })) },
})

export const listSessionsOf = route({
  method: 'GET',
  path: '/api/admin/users/:user/sessions',
  summary: 'Where a user is signed in. Only an admin sees the sessions of an admin',
  area: 'Administration',
  access: ['organizer', 'admin'],
  answers: { 200: Sessions },
})

export const endSessionOf = route({
  method: 'DELETE',
  path: '/api/admin/users/:user/sessions/:session',
  summary: 'End one session of a user: its token and its live feeds are dead from then on',
  area: 'Administration',
  access: ['organizer', 'admin'],
  whileSuspended: true,
  answers: { 204: null },
})
