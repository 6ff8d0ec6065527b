import { isStaff } from '@voelgoed/core/access'
import { hashSecret, makeResetToken } from '@voelgoed/kit/http/tokens'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Letters, ReadLetter, Sender } from '../mail/letters.ts'
import type { MailRow } from '../mail/tables/mails.ts'
import { findUser } from '../people/tables/users.ts'
import { writePasswordReset } from './tables/password-resets.ts'

/** For how long a link in a mail lets its reader choose a new password, and how old the mail may get. */
const RESET_SECONDS = 60 * 60
/** The same for the first password of an account, and for a proof of its address. */
const INVITATION_SECONDS = 7 * 24 * 60 * 60

export type AccountMails =
  | 'password_reset'
  | 'password_changed'
  | 'invitation'
  | 'address_confirmation'
  | 'membership_confirmation'

/** Mails about accounts: how their owners sign in, and prove their addresses. */
export const accountLetters: Pick<Letters, AccountMails> = {
  async password_reset(tx, mail, sender) {
    const link = await passwordLink(tx, mail, sender, RESET_SECONDS)
    return link === null ? null : { kind: 'password_reset', who: whoOf(sender), link }
  },
  async invitation(tx, mail, sender) {
    const user = await findUser(tx, mail.user_id!)
    if (!user?.isInvited || user.isDisabled) return null
    const link = await passwordLink(tx, mail, sender, INVITATION_SECONDS)
    // Where their work is, once they have a password.
    const next = isStaff(user.role) ? '&next=console' : ''
    return link === null ? null : { kind: 'invitation', who: whoOf(sender), link: `${link}${next}` }
  },
  address_confirmation: confirmation('address_confirmation'),
  membership_confirmation: confirmation('membership_confirmation'),
  password_changed: async (_tx, _mail, sender) => ({ kind: 'password_changed', who: whoOf(sender) }),
}

function confirmation(kind: 'address_confirmation' | 'membership_confirmation'): ReadLetter {
  return async (tx, mail, sender) => {
    const user = await findUser(tx, mail.user_id!)
    if (!user || user.isEmailProven || user.isDisabled || user.email !== mail.recipient) return null
    const link = await passwordLink(tx, mail, sender, INVITATION_SECONDS)
    return link === null ? null : { kind, who: whoOf(sender), link: `${link}&confirm=1` }
  }
}

function whoOf({ organization }: Sender) {
  return { organization: organization.name, name: null }
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
