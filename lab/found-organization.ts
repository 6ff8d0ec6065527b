import { createOrganization, createUser, signIn } from '@voelgoed/contract/accounts'
import { ROLES, type Role } from '@voelgoed/core/access'
import type { Caller } from './call-route.ts'

export interface FoundedOrganization {
  readonly id: string
  readonly slug: string
  readonly people: Readonly<Record<Role, Person>>
}

/** Someone who is signed in. */
export interface Person {
  readonly userId: string
  readonly organizationId: string
  readonly token: string
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
  const people = {} as Record<Role, Person>
  for (const role of ROLES) {
    const email = emailOf(slug, role)
    await caller.get(createUser, {
      token: rootKey,
      params: { org: data.id },
      body: { email, password: PASSWORD, role },
    })
    const session = await caller.get(signIn, { body: { organization: slug, email, password: PASSWORD } })
    const { token, user } = session.data
    people[role] = { userId: user.id, organizationId: data.id, token }
  }
  return { id: data.id, slug, people }
}
