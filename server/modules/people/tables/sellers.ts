import type { BodyOf } from '@voelgoed/contract/route'
import type { updateSeller as contract } from '@voelgoed/contract/sellers'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** Buyers read these before they pay; each is null until an admin sets it. */
export type Seller = Required<BodyOf<typeof contract>>

/** With what the settings of the organization say besides. */
export interface KnownSeller extends Seller {
  readonly name: string
  readonly email: string | null
}

const FIELDS = 'legal_name, vat_number, phone, terms_url, terms, refund_rule'

/** Locked until the end of the transaction, when it is about to be changed. */
export async function readSeller(tx: TenantTx, { forUpdate = false } = {}): Promise<Seller> {
  return (await tx.one<Seller & Record<string, unknown>>(
    `select ${FIELDS} from organizations where id = $1 ${forUpdate ? 'for no key update' : ''}`,
  ))!
}

export async function readKnownSeller(tx: TenantTx): Promise<KnownSeller> {
  return (await tx.one<KnownSeller & Record<string, unknown>>(
    `select name, ${FIELDS}, support_email as email from organizations where id = $1`,
  ))!
}

export async function updateSeller(tx: TenantTx, seller: Seller): Promise<void> {
  const { legal_name, vat_number, phone, terms_url, terms, refund_rule } = seller
  await tx.query(
    `update organizations set legal_name = $2, vat_number = $3, phone = $4, terms_url = $5, terms = $6,
       refund_rule = $7 where id = $1`,
    [legal_name, vat_number, phone, terms_url, terms, refund_rule],
  )
}
