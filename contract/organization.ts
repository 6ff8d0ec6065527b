import { Type } from 'typebox'
import { Data, Email, Name, Nullable, Strict, TimeZone, Uuid } from './common.ts'
import { brand, ImageId } from './images.ts'
import { route } from './route.ts'
import { Seller } from './sellers.ts'

const Colour = Type.Optional(
  Nullable(
    Type.String({
      pattern: '^#[0-9a-fA-F]{6}$',
      maxLength: 7,
      description: 'Of buttons and links, like #7b3fa0; null: the product’s own. Text on it stays readable',
    }),
  ),
)

export const StripeAccount = Type.String({ pattern: '^acct_[A-Za-z0-9]{1,100}$', maxLength: 105 })

const OrganizationSettings = Strict({
  id: Uuid,
  slug: Type.String(),
  name: Type.String(),
  time_zone: Type.String(),
  locale: Type.String(),
  currency: Type.String(),
  ...brand,
  brand: Strict({
    colour: brand.colour,
    logo_image_id: Nullable(Uuid),
    cover_image_id: Nullable(Uuid),
  }),
  allowed_origins: Type.Array(Type.String()),
  support_email: Nullable(
    Type.String({
      description: 'Answers to mails go here, and buyers see it with the seller; null: nowhere',
    }),
  ),
  seller: Seller,
  sends_mails: Type.Boolean({ description: 'false: no mail server is configured, so mails are kept' }),
  stripe_account: Nullable(Type.String({ description: 'null: the platform’s own account takes the money' })),
  stripe_account_wanted: Nullable(
    Type.String({ description: 'An admin has named it; it takes no money until the platform names it too' }),
  ),
})

export const readOrganization = route({
  method: 'GET',
  path: '/api/admin/organization',
  summary:
    'The organization: its name, time zone, language, currency, brand, and the sites that may sell its seats',
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
    colour: Colour,
    brand: Type.Optional(
      Strict(
        { colour: Colour, logo_image_id: ImageId, cover_image_id: ImageId },
        { description: 'Members left out stay as they are; give the colour here or beside it' },
      ),
    ),
    support_email: Type.Optional(Nullable(Email)),
    allowed_origins: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^https?://[a-z0-9.-]{1,253}(:[0-9]{1,5})?$',
          maxLength: 270,
          description:
            'The origin of a site as browsers write it, without a path; http for this machine only',
        }),
        {
          maxItems: 20,
          uniqueItems: true,
          description:
            'Other sites whose pages may call the routes of buyers with sessions of this organization, and show its pages in a frame. It counts after ten seconds',
        },
      ),
    ),
  }),
  example: { time_zone: 'Africa/Johannesburg' },
  answers: { 200: Data(OrganizationSettings) },
  refusals: ['image_not_found'],
})

export const setStripeAccount = route({
  method: 'PUT',
  path: '/api/admin/organization/stripe-account',
  summary:
    'Name the account at Stripe (Connect) that is to take the money of this organization. It waits as stripe_account_wanted, and counts when the platform has named it too (PATCH /api/platform/organizations/{org}). null counts at once, and so does the account that takes the money now: nothing waits then. Payments that were made stay with the account that took them',
  area: 'Administration',
  access: ['admin'],
  body: Strict({
    stripe_account: Nullable(StripeAccount),
  }),
  example: { stripe_account: 'acct_1032D82eZvKYlo2C' },
  answers: { 200: Data(OrganizationSettings) },
})
