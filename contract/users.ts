import { MEMBERSHIP_STATUSES, ROLES } from '@voelgoed/core/access'
import { Type } from 'typebox'
import { Data, DateTime, Email, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { SkippedHolds } from './holds.ts'
import { route } from './route.ts'

const RoleName = Type.Enum([...ROLES])

/** A user as staff and the platform see them. */
export const ManagedUser = {
  id: Uuid,
  email: Nullable(Type.String()),
  email_proven: Type.Boolean({
    description:
      'Its reader has confirmed the address. Until then the membership waits, and so do whitelists',
  }),
  role: RoleName,
  membership_tier: Nullable(Type.String()),
  membership_status: Nullable(Type.Enum([...MEMBERSHIP_STATUSES])),
  disabled: Type.Boolean(),
  invited: Type.Boolean({ description: 'Has not chosen a password yet, or has to choose a new one' }),
  second_factor: Type.Boolean({ description: 'A code is asked for after the password' }),
  linked: Type.Boolean({ description: 'Signs in with an identity provider' }),
  created_at: DateTime,
}

export const UserChange = Strict({
  role: Type.Optional(RoleName),
  membership_tier: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }))),
  membership_status: Type.Optional(Nullable(Type.Enum([...MEMBERSHIP_STATUSES]))),
  disabled: Type.Optional(
    Type.Boolean({ description: 'true: all sessions and live feeds of the user end at once, on every node' }),
  ),
  release_holds: Type.Optional(
    Type.Boolean({ description: 'Also release what the user holds now, except what is being paid for' }),
  ),
  email_proven: Type.Optional(
    Type.Boolean({
      description:
        'true: the caller knows that the address is that of the one who uses the account, so its membership and whitelists count from now on. false: they wait until the address is confirmed. A membership that the platform gives says true by itself',
    }),
  ),
  confirm_address: Type.Optional(
    Type.Boolean({
      description:
        'true: the password and all sessions of the user end, and the reader of their address gets an invitation to choose a new password. Recommended when a customer becomes staff: signing up does not prove an address',
    }),
  ),
})

export const ChangedUser = Data(
  Strict({
    ...ManagedUser,
    sessions_ended: Type.Integer(),
    places_released: Type.Integer(),
    skipped: SkippedHolds,
  }),
)

export const listUsers = route({
  method: 'GET',
  path: '/api/admin/users',
  summary: 'People with an account, by the beginning of their e-mail address, or by id (guests too)',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({
    ...Page,
    query: Type.Optional(
      Type.String({ maxLength: 254, description: 'The beginning of an e-mail address, or the id of a user' }),
    ),
    role: Type.Optional(RoleName),
  }),
  answers: { 200: List(Strict(ManagedUser)) },
})

export const changeUser = route({
  method: 'PATCH',
  path: '/api/admin/users/:user',
  summary:
    'Change the role or the membership of a user, or disable them; works at once. Only an admin changes admins or makes one, no user changes their own role or disables themselves, and the last admin who can sign in stays one',
  area: 'Administration',
  access: ['organizer', 'admin'],
  body: UserChange,
  example: { membership_tier: 'voelgoed_vriendinne', membership_status: 'active' },
  answers: { 200: ChangedUser },
  refusals: ['last_admin', 'rate_limited'],
})

/** An organization sends so many in 24 hours, those that are sent again among them. */
export const MAX_INVITATIONS_A_DAY = 200
/** One person gets so many in 24 hours. */
export const MAX_INVITATIONS_OF_ONE = 5

function invitation<const Path extends string>(path: Path) {
  return route({
    method: 'POST',
    path,
    summary:
      'Invite a person: makes their account, and sends them a mail with a link to choose its password, once, within seven days. ' +
      `An organization sends at most ${MAX_INVITATIONS_A_DAY} invitations a day. Only an admin invites an admin`,
    area: 'Administration',
    access: ['organizer', 'admin'],
    body: Strict({
      email: Email,
      role: RoleName,
      membership_tier: UserChange.properties.membership_tier,
      membership_status: UserChange.properties.membership_status,
    }),
    example: { email: 'carla@example.org', role: 'support' },
    answers: { 201: Data(Strict(ManagedUser)) },
    refusals: ['already_exists', 'rate_limited'],
    idempotencyKey: true,
  })
}

export const inviteUser = invitation('/api/admin/invitations')
/** The same, where the users are. */
export const createUser = invitation('/api/admin/users')

export const inviteAgain = route({
  method: 'POST',
  path: '/api/admin/users/:user/invite',
  summary:
    'Send the invitation again to a person who has not chosen a password yet. ' +
    `At most ${MAX_INVITATIONS_OF_ONE} mails a day to one person`,
  area: 'Administration',
  access: ['organizer', 'admin'],
  answers: { 201: Data(Strict(ManagedUser)) },
  refusals: ['invalid_transition', 'rate_limited'],
  idempotencyKey: true,
})

export const endSessions = route({
  method: 'DELETE',
  path: '/api/admin/users/:user/sessions',
  summary: 'Sign a user out everywhere: all their sessions and live feeds end at once',
  area: 'Administration',
  access: ['organizer', 'admin'],
  whileSuspended: true,
  answers: { 200: Data(Strict({ sessions_ended: Type.Integer() })) },
})
