type ByKey<K extends string> = Readonly<Record<K, string>>

/** Words of signing in, and of an organization's identity provider: shown before the console has come. */
export function signInEn() {
  return {
    title: 'Console',
    signIn: {
      about: 'For organizers, support and the box office.',
      organization: 'Organization',
      organizationHint: 'Its short name, as in the address of its storefront.',
      goOn: 'Continue',
      otherOrganization: 'Another organization',
      toStorefront: 'To the storefront',
      unknownOrganization: 'There is no organization with this short name. Check how it is spelled.',
      over: 'Your session has ended. Sign in again to go on where you were.',
      code: 'Code from your app, or a recovery code',
      codeNote: 'Your password is right. Now the second factor.',
    },
    provider: {
      with: (name: string) => `Sign in with ${name}`,
      or: 'or',
      passwordInstead: 'Sign in with a password',
      passwordNote: 'For admins who have a second factor, when the provider does not answer.',
      comingBack: 'Signing you in …',
      vouched: 'Your provider knows you. Now the second factor.',
      startAgain: 'Start again',
      denied: 'The provider did not sign you in. Try again, or ask an admin.',
      refused: {
        not_set_up: 'Your organization has no identity provider any more. Sign in with your password.',
        attempt_over: 'This sign-in is too old, was used before, or began in another browser. Start again.',
        code_refused:
          'The provider did not confirm your sign-in. Start again; if that does not help, tell an admin.',
        token_invalid:
          'What the provider says about you could not be verified. Start again; if that does not help, tell an admin.',
        email_not_verified: 'Your provider does not say that your email address is verified. Tell an admin.',
        email_domain:
          'Your organization does not allow this email address. Use your work address, or ask an admin.',
        other_person: 'The account with your email address belongs to another person. Tell an admin.',
        no_account: 'You have no staff account here. Ask an admin to invite you, then sign in again.',
      } as ByKey<string>,
      title: 'Identity provider',
      about:
        'Staff sign in with the account that they have at work (OpenID Connect): Entra ID, Google Workspace, Okta, Keycloak and others.',
      none: 'There is none: staff sign in with a password.',
      setUp: 'Set it up',
      redirect: 'Redirect address',
      redirectHint: 'Enter it at the provider, as it stands.',
      copy: 'Copy',
      name: 'Name on the button',
      nameHint: 'Staff read: Sign in with …',
      issuer: 'Issuer',
      issuerHint: 'The address of the provider, like https://login.example.org',
      clientId: 'Client id',
      secret: 'Client secret',
      secretHint: 'Kept sealed, and never shown again.',
      secretKept: 'Empty: the secret stays as it is.',
      domains: 'Email domains of your staff',
      domainsHint: 'With spaces between, like example.org. People of other domains are not let in.',
      badDomain: (text: string) => `“${text}” is not a domain. Write it like example.org.`,
      role: 'People without an account',
      roles: {
        none: 'Are not let in: invite them first',
        scanner: 'Become scanners',
        support: 'Become support',
        organizer: 'Become organizers',
      } as ByKey<string>,
      roleHint: 'An admin is always made by an admin.',
      strong: 'The provider asks for a second factor itself',
      strongHint: 'Then staff who sign in with it are not asked for another one here.',
      passwords: 'Staff can sign in with a password as well',
      passwordsHint:
        'Without it, admins who have a second factor keep their password: for the day on which the provider does not answer.',
      ownPasswordFirst:
        'To turn it off, choose a password of your own first: sign out, and ask for one on the sign-in page.',
      ownFirst: 'To turn it off, set up your own second factor first.',
      test: 'Test it',
      tested: (keys: number) =>
        `The provider answers, with ${keys} ${keys === 1 ? 'key' : 'keys'}. Save, then sign in once in another browser.`,
      trouble: {
        address_not_allowed:
          'This address may not be asked: it is not https, or it is in a private network. The operator of the server can allow that.',
        unreachable: 'The provider cannot be reached. Check the issuer.',
        time_out: 'The provider did not answer in five seconds. Check the issuer, or try again later.',
        answer_too_large: 'What the provider answers is too large to be its description.',
        answer_invalid: 'At this address there is no description of a provider. Check the issuer.',
        other_issuer: 'The provider names itself otherwise. Copy the issuer exactly as it writes it.',
      } as ByKey<string>,
      save: 'Save the provider',
      saved: 'Saved. The button is on the sign-in page.',
      remove: 'Remove',
      removeTitle: 'Remove the identity provider?',
      removeNote:
        'Staff sign in with a password again. Anyone without one can ask for one on the sign-in page.',
      removed: 'The identity provider was removed.',
    },
  }
}

export type SignInWords = ReturnType<typeof signInEn>
