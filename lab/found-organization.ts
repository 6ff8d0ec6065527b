import { ROLES, type Role } from '@voelgoed/core/access'
import { createOrganization, createUser, signIn } from '@voelgoed/core/contract/accounts'
import type { Caller } from './call-route.ts'

export interface FoundedOrganization {
  readonly id: string
  readonly slug: string
  readonly tokens: Readonly<Record<Role, string>>
}

export const PASSWORD = 'a long password'

export function emailOf(slug: string, role: Role): string {
  return `${role}@${slug}.example`
}

/** A new organization with a signed-in user of each role. */
export async function foundOrganization(
  caller: Caller,
  rootKey: string,
  slug: string,
): Promise<FoundedOrganization> {
  const { data } = await caller.get(createOrganization, { token: rootKey, body: { name: slug, slug } })
  const tokens = {} as Record<Role, string>
  for (const role of ROLES) {
    const email = emailOf(slug, role)
    await caller.get(createUser, {
      token: rootKey,
      params: { org: data.id },
      body: { email, password: PASSWORD, role },
    })
    const session = await caller.get(signIn, { body: { organization: slug, email, password: PASSWORD } })
    tokens[role] = session.data.token
  }
  return { id: data.id, slug, tokens }
}
