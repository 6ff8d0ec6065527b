import { accentOf } from '@voelgoed/core/brand/accent'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { imageAddress, plainFile } from '../images/image-address.ts'
import { readBrand } from '../images/tables/images.ts'
import { type OrganizationSettings, readOrganization } from '../people/tables/organizations.ts'
import { chooseLanguage, type MailLanguage } from './language.ts'
import { type LetterLook, PLAIN_LOOK } from './letter.ts'
import type { MailContent } from './outbox.ts'
import type { MailRow } from './tables/mails.ts'
import type { LetterFacts } from './templates.ts'

export interface Sender {
  readonly organization: OrganizationSettings
  readonly publicUrl: string
}

/**
 * Reads what a mail says, as things stand when it is sent, and makes the secret of its link: only the hash is
 * stored. Null: there is no use in sending it any more.
 */
export type ReadLetter<Data = object> = (
  tx: TenantTx,
  mail: MailRow & { readonly data: Data },
  sender: Sender,
) => Promise<LetterFacts | null>

/** The modules that queue mails know what theirs say. */
export type Letters = {
  readonly [Kind in MailContent['kind']]: ReadLetter<Extract<MailContent, { readonly kind: Kind }>['data']>
}

export interface MailFacts {
  readonly language: MailLanguage
  readonly organization: OrganizationSettings
  readonly letter: LetterFacts
  readonly look: LetterLook
}

/** A string: there is no use in sending the mail any more. */
export async function readFacts(
  tx: TenantTx,
  mail: MailRow,
  { letters, publicUrl }: { readonly letters: Letters; readonly publicUrl: string },
): Promise<MailFacts | 'out of date'> {
  const organization = await readOrganization(tx)
  const read = letters[mail.kind as MailContent['kind']] as ReadLetter
  const letter = await read(tx, mail as MailRow & { readonly data: object }, { organization, publicUrl })
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
