import { normaliseEmail } from '@voelgoed/core/email'
import type { PersonToFind } from '../people/tables/personal-data.ts'
import type { ManagedUser } from '../people/tables/users.ts'

/** Anyone may sign up with an address of another. Until its reader has confirmed it, it finds nothing. */
export function personToFind({
  userId,
  email,
  isEmailProven,
}: Pick<ManagedUser, 'userId' | 'email' | 'isEmailProven'>): PersonToFind {
  return { userId, provenEmail: email !== null && isEmailProven ? normaliseEmail(email) : null }
}
