import { randomBytes } from 'node:crypto'
import { isStaff } from '@voelgoed/core/access'
import { accentOf } from '@voelgoed/core/brand/accent'
import { hashSecret, makeResetToken } from '../accounts/tokens.ts'
import { imageAddress, plainFile } from '../image-address.ts'
import type { TenantTx } from '../postgres/database.ts'
import { findEvent } from '../postgres/tables/events.ts'
import { readBrand } from '../postgres/tables/images.ts'
import type { MailRow } from '../postgres/tables/mails.ts'
import { writeOrderLink } from '../postgres/tables/order-links.ts'
import { readOrder, type WholeOrder } from '../postgres/tables/orders.ts'
import { type OrganizationSettings, readOrganization } from '../postgres/tables/organizations.ts'
import { writePasswordReset } from '../postgres/tables/password-resets.ts'
import { findUser } from '../postgres/tables/users.ts'
import { chooseLanguage, type MailLanguage } from './language.ts'
import { type LetterLook, PLAIN_LOOK } from './letter.ts'
import type { MailContent } from './outbox.ts'
import { salutation } from './salutation.ts'
import type { LetterFacts, OrderFacts } from './templates.ts'

/** For how long a link in a mail lets its reader choose a new password, and how old the mail may get. */
const RESET_SECONDS = 60 * 60
/** The same for the first password of an account, and for a proof of its address. */
const INVITATION_SECONDS = 7 * 24 * 60 * 60

export interface MailFacts {
  readonly language: MailLanguage
  readonly organization: OrganizationSettings
  readonly letter: LetterFacts
  readonly look: LetterLook
}

/**
 * What a mail says, as things stand when it is sent. Makes the secret of its link: only the hash is stored.
 * A string: there is no use in sending it any more.
 */
export async function readFacts(
  tx: TenantTx,
  mail: MailRow,
  publicUrl: string,
): Promise<MailFacts | 'out of date'> {
  const organization = await readOrganization(tx)
  const content = { kind: mail.kind, data: mail.data } as MailContent
  const letter = await letterOf(tx, mail, content, { organization, publicUrl })
  if (letter === null) return 'out of date'
  const look = await readLook(tx, publicUrl)
  return { language: chooseLanguage(mail.locale, organization.locale), organization, letter, look }
}

/** The brand of the sender: readers' programs fetch the logo from our server. */
async function readLook(tx: TenantTx, publicUrl: string): Promise<LetterLook> {
  const { colour, logo } = await readBrand(tx)
  const shades = colour === null ? null : accentOf(colour)?.light
  return {
    ...(shades ? { accent: shades.accent, onAccent: shades.on } : PLAIN_LOOK),
    logo: logo && {
      url: publicUrl + imageAddress(logo, plainFile(logo).name),
      width: Math.round((LOGO_HEIGHT * logo.width) / logo.height),
      height: LOGO_HEIGHT,
    },
  }
}

const LOGO_HEIGHT = 32

interface Sender {
  readonly organization: OrganizationSettings
  readonly publicUrl: string
}

async function letterOf(
  tx: TenantTx,
  mail: MailRow,
  content: MailContent,
  sender: Sender,
): Promise<LetterFacts | null> {
  const who = { organization: sender.organization.name, name: null }
  switch (content.kind) {
    case 'order_paid':
    case 'order_moved': {
      const order = await orderFacts(tx, mail, sender)
      return order && order.tickets.length > 0 ? { kind: content.kind, order } : null
    }
    case 'order_refunded': {
      const order = await orderFacts(tx, mail, sender)
      const { cause, amount } = content.data
      return order && { kind: content.kind, order, cause, amount }
    }
    case 'password_reset': {
      const link = await passwordLink(tx, mail, sender, RESET_SECONDS)
      return link === null ? null : { kind: content.kind, who, link }
    }
    case 'invitation': {
      const user = await findUser(tx, mail.user_id!)
      if (!user?.isInvited || user.isDisabled) return null
      const link = await passwordLink(tx, mail, sender, INVITATION_SECONDS)
      // Where their work is, once they have a password.
      const next = isStaff(user.role) ? '&next=console' : ''
      return link === null ? null : { kind: content.kind, who, link: `${link}${next}` }
    }
    case 'address_confirmation':
    case 'membership_confirmation': {
      const user = await findUser(tx, mail.user_id!)
      if (!user || user.isEmailProven || user.isDisabled || user.email !== mail.recipient) return null
      const link = await passwordLink(tx, mail, sender, INVITATION_SECONDS)
      return link === null ? null : { kind: content.kind, who, link: `${link}&confirm=1` }
    }
    case 'password_changed':
      return { kind: content.kind, who }
  }
}

async function orderFacts(
  tx: TenantTx,
  mail: MailRow,
  { organization, publicUrl }: Sender,
): Promise<OrderFacts | null> {
  const whole = await readOrder(tx, mail.order_id!)
  // The buyer has corrected the address: what it opens is for the new one.
  if (!whole || whole.order.contact_email !== mail.recipient) return null
  const event = (await findEvent(tx, whole.order.event_id))!
  const secret = randomBytes(32).toString('base64url')
  await writeOrderLink(tx, { mailId: mail.id, orderId: whole.order.id, secretHash: hashSecret(secret) })
  return {
    organization: organization.name,
    name: salutation(whole.order.contact_name, whole.order.total),
    number: whole.order.number,
    event: event.name,
    venue: event.venueName,
    startsAt: event.startsAt,
    timeZone: event.timeZone,
    currency: whole.order.currency,
    total: whole.order.total,
    tickets: ticketsOf(whole),
    // After the #, so that no server on the way logs it.
    link: `${publicUrl}/${organization.slug}/orders/${whole.order.id}#secret=${secret}`,
  }
}

function ticketsOf({ lines }: WholeOrder): OrderFacts['tickets'] {
  return lines
    .filter(line => line.refund_id === null)
    .map(({ zone_name, row, seat_number, ticket_type, amount }) => ({
      zone: zone_name,
      seat: row === null ? null : { row, number: String(seat_number) },
      type: ticket_type,
      amount,
    }))
}

async function passwordLink(
  tx: TenantTx,
  mail: MailRow,
  { organization, publicUrl }: Sender,
  lifeSeconds: number,
) {
  const token = makeResetToken(organization.id)
  const isOpen = await writePasswordReset(tx, {
    mailId: mail.id,
    userId: mail.user_id!,
    tokenHash: hashSecret(token),
    lifeSeconds,
  })
  return isOpen ? `${publicUrl}/${organization.slug}/password#token=${token}` : null
}
