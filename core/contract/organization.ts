import { Type } from 'typebox'
import { Data, Name, Nullable, Strict, TimeZone, Uuid } from './common.ts'
import { route } from './route.ts'

const OrganizationSettings = Strict({
  id: Uuid,
  slug: Type.String(),
  name: Type.String(),
  time_zone: Type.String(),
  locale: Type.String(),
  currency: Type.String(),
  stripe_account: Nullable(Type.String({ description: 'null: the platform’s own account takes the money' })),
})

export const readOrganization = route({
  method: 'GET',
  path: '/api/admin/organization',
  summary: 'The organization: its name, time zone, language and currency',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  answers: { 200: Data(OrganizationSettings) },
})

export const updateOrganization = route({
  method: 'PATCH',
  path: '/api/admin/organization',
  summary: 'Change the organization. Venues without a time zone of their own follow its time_zone',
  area: 'Administration',
  access: ['organizer', 'admin'],
  body: Strict({
    name: Type.Optional(Name),
    time_zone: Type.Optional(TimeZone),
    locale: Type.Optional(
      Type.String({ minLength: 2, maxLength: 35, description: 'A BCP 47 language tag, like af-ZA' }),
    ),
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3, description: 'An ISO 4217 code, like ZAR' }),
    ),
  }),
  example: { time_zone: 'Africa/Johannesburg' },
  answers: { 200: Data(OrganizationSettings) },
})

export const setStripeAccount = route({
  method: 'PUT',
  path: '/api/admin/organization/stripe-account',
  summary:
    'Set the account at Stripe (Connect) that takes the money of this organization, or null. Payments that were made stay with the account that took them',
  area: 'Administration',
  access: ['admin'],
  body: Strict({
    stripe_account: Nullable(Type.String({ pattern: '^acct_[A-Za-z0-9]{1,100}$', maxLength: 105 })),
  }),
  example: { stripe_account: 'acct_1032D82eZvKYlo2C' },
  answers: { 200: Data(OrganizationSettings) },
})
