import type { Refusal } from '@voelgoed/core/refusal'
import type { Result } from '@voelgoed/core/result'
import { Principals, type SignedIn } from '@voelgoed/kit/http/principals'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { DatabaseClock } from '@voelgoed/kit/postgres/database-clock'
import type { Letters } from '../mail/letters.ts'
import { type Kit, type Module, sweepOf } from '../module.ts'
import { type AccountMails, accountLetters } from './account-letters.ts'
import { LastUses } from './last-uses.ts'
import { verifyOwner } from './new-password.ts'
import { openIdentityProviders } from './oidc/identity-providers.ts'
import { Passwords } from './passwords.ts'
import { askToConfirmMembership } from './prove-address.ts'
import { settleRootKey } from './root-key.ts'
import { serveAccounts } from './routes/accounts.ts'
import type { ReleaseHolds } from './routes/change-user.ts'
import { serveIdentityProvider } from './routes/identity-provider.ts'
import { serveInvitations } from './routes/invitations.ts'
import { servePasswords } from './routes/passwords.ts'
import { serveSecondFactor } from './routes/second-factor.ts'
import { serveSessions } from './routes/sessions.ts'
import { serveUserAdministration } from './routes/user-administration.ts'
import { SecondFactors } from './second-factor.ts'
import { createSignInMetrics } from './sign-in-metrics.ts'
import { sweepProviderSignIns } from './tables/identity-providers.ts'
import { readSigningKey } from './tables/installation.ts'
import { sweepPasswordResets } from './tables/password-resets.ts'
import { findSessions, sweepSessions } from './tables/sessions.ts'
import { sweepSignIns } from './tables/sign-in-failures.ts'

interface Needs {
  readonly databaseClock: DatabaseClock
  /** Null: the database has the hash of one, or a new one is made and told. */
  readonly rootKey: string | null
  readonly tellRootKey: (fresh: string) => void
  /** As many processes share the cores that hash passwords. */
  readonly workers: number
  /** Identity providers may be in the operator's own network. */
  readonly arePrivateProvidersAllowed: boolean
  readonly releaseHolds: ReleaseHolds
  /** False: no mail server is configured, so no person gets a link to choose a password. */
  readonly sendsMails: () => boolean
}

/** Checks, before something that lasts, that the owner of the session is in front of the browser. */
export type VerifyOwner = (
  principal: SignedIn,
  claim: { readonly password?: string | undefined; readonly addressKey: string },
) => Promise<Result<null, Refusal>>

interface SignIn extends Module {
  readonly principals: Principals
  readonly lastUses: LastUses
  /** The installation's own: keys of other things are made of it. */
  readonly signingKey: Buffer
  readonly letters: Pick<Letters, AccountMails>
  askToConfirmMembership(
    tx: TenantTx,
    owner: { readonly userId: string; readonly email: string },
  ): Promise<void>
  readonly verifyOwner: VerifyOwner
}

/**
 * Accounts and who they are: people sign up and sign in, by password or with their organization's identity
 * provider, show a second factor, prove their addresses. Staff invite them, change their rights and end their
 * sessions. The platform has a key of its own.
 */
export async function openSignIn(kit: Kit, needs: Needs): Promise<SignIn> {
  const { database, clock, log } = kit
  const rootKey = await settleRootKey(database, needs.rootKey, needs.tellRootKey)
  const signingKey = await database.platform('read and write the installation', readSigningKey)
  const lastUses = new LastUses(database, log)
  const metrics = createSignInMetrics(kit.metrics, () => lastUses.counts)
  const principals = new Principals({
    database,
    clock,
    databaseClock: needs.databaseClock,
    lookUp: {
      findSessions,
      isRootKey: bearer => rootKey.matches(bearer),
      keyUsed: (organizationId, keyId) => lastUses.keyUsed(organizationId, keyId),
      sessionUsed: (organizationId, tokenHash) => lastUses.sessionUsed(organizationId, tokenHash),
    },
  })
  const { workers } = needs
  const passwords = new Passwords({ atOnce: Math.ceil(2 / workers), waiting: Math.ceil(200 / workers) })
  const secondFactors = new SecondFactors(signingKey)
  const identityProviders = openIdentityProviders({
    database,
    clock,
    principals,
    secondFactors,
    signingKey,
    pageUrl: kit.http.pageUrl,
    log,
    arePrivateAllowed: needs.arePrivateProvidersAllowed,
    onAnswer: metrics.providerAsked,
  })
  return {
    name: 'sign-in',
    principals,
    lastUses,
    signingKey,
    letters: accountLetters,
    askToConfirmMembership: (tx, owner) => askToConfirmMembership(tx, owner, clock.now()),
    verifyOwner: (principal, claim) => verifyOwner({ database, passwords }, principal, claim),
    routes(router) {
      serveAccounts(router, kit, { passwords, principals, secondFactors, metrics })
      servePasswords(router, kit, { passwords, principals, metrics })
      serveUserAdministration(router, kit, { passwords, principals, releaseHolds: needs.releaseHolds })
      serveInvitations(router, kit)
      serveSessions(router, kit, principals)
      serveSecondFactor(router, kit, { passwords, principals, secondFactors, metrics })
      serveIdentityProvider(router, kit, {
        principals,
        identityProviders,
        metrics,
        sendsMails: needs.sendsMails,
      })
    },
    hears(announcement) {
      if (announcement.kind === 'token_revoked') {
        principals.forgetToken(Buffer.from(announcement.tokenHash, 'hex'))
      } else if (announcement.kind === 'user_changed') {
        principals.forgetUser(announcement.organizationId, announcement.userId)
      } else if (announcement.kind === 'organization_changed') {
        principals.forgetOrganization(announcement.organizationId)
      }
    },
    sweeps: [
      sweepOf(database, 'sessions', sweepSessions),
      ...(['sign_in_failures', 'sign_in_address_failures', 'sign_in_addresses'] as const).map(name =>
        sweepOf(database, name, (tx, limit) => sweepSignIns(tx, name, limit)),
      ),
      sweepOf(database, 'password_resets', sweepPasswordResets),
      sweepOf(database, 'provider_sign_ins', sweepProviderSignIns),
    ],
    flush: () => lastUses.flush(),
  }
}
