import type { SignInWords } from './sign-in-en.ts'

export function signInAf(): SignInWords {
  return {
    title: 'Konsole',
    signIn: {
      about: 'Vir organiseerders, ondersteuning en die kaartjieskantoor.',
      organization: 'Organisasie',
      organizationHint: 'Sy kort naam, soos in die adres van sy winkelblad.',
      goOn: 'Gaan voort',
      otherOrganization: 'Ander organisasie',
      toStorefront: 'Na die winkelblad',
      unknownOrganization: 'Daar is geen organisasie met hierdie kort naam nie. Kyk na die spelling.',
      over: 'Jou sessie is verby. Meld weer aan om voort te gaan waar jy was.',
      code: 'Kode uit jou toep, of ’n herstelkode',
      codeNote: 'Jou wagwoord is reg. Nou die tweede faktor.',
    },
    provider: {
      with: name => `Meld aan met ${name}`,
      or: 'of',
      passwordInstead: 'Meld met ’n wagwoord aan',
      passwordNote: 'Vir administrateurs met ’n tweede faktor, wanneer die verskaffer nie antwoord nie.',
      comingBack: 'Besig om jou aan te meld …',
      vouched: 'Jou verskaffer ken jou. Nou die tweede faktor.',
      startAgain: 'Begin weer',
      denied: 'Die verskaffer het jou nie aangemeld nie. Probeer weer, of vra ’n administrateur.',
      refused: {
        not_set_up: 'Jou organisasie het nie meer ’n identiteitsverskaffer nie. Meld met jou wagwoord aan.',
        attempt_over:
          'Hierdie aanmelding is te oud, reeds gebruik, of het in ’n ander blaaier begin. Begin weer.',
        code_refused:
          'Die verskaffer het jou aanmelding nie bevestig nie. Begin weer; help dit nie, sê vir ’n administrateur.',
        token_invalid:
          'Wat die verskaffer van jou sê, kon nie bevestig word nie. Begin weer; help dit nie, sê vir ’n administrateur.',
        email_not_verified:
          'Jou verskaffer sê nie dat jou e-posadres bevestig is nie. Sê vir ’n administrateur.',
        email_domain:
          'Jou organisasie laat hierdie e-posadres nie toe nie. Gebruik jou werkadres, of vra ’n administrateur.',
        other_person: 'Die rekening met jou e-posadres behoort aan iemand anders. Sê vir ’n administrateur.',
        no_account:
          'Jy het hier geen personeelrekening nie. Vra ’n administrateur om jou uit te nooi, en meld dan weer aan.',
      },
      title: 'Identiteitsverskaffer',
      about:
        'Personeel meld aan met die rekening wat hulle by die werk het (OpenID Connect): Entra ID, Google Workspace, Okta, Keycloak en ander.',
      none: 'Daar is nie een nie: personeel meld met ’n wagwoord aan.',
      setUp: 'Stel dit op',
      redirect: 'Terugkeeradres',
      redirectHint: 'Voer dit presies so by die verskaffer in.',
      copy: 'Kopieer',
      name: 'Naam op die knoppie',
      nameHint: 'Personeel lees: Meld aan met …',
      issuer: 'Uitreiker',
      issuerHint: 'Die adres van die verskaffer, soos https://login.example.org',
      clientId: 'Kliënt-id',
      secret: 'Kliëntgeheim',
      secretHint: 'Word verseël gehou en nooit weer gewys nie.',
      secretKept: 'Leeg: die geheim bly soos dit is.',
      domains: 'E-posdomeine van jou personeel',
      domainsHint: 'Met spasies tussenin, soos example.org. Mense van ander domeine kom nie in nie.',
      badDomain: text => `“${text}” is nie ’n domein nie. Skryf dit soos example.org.`,
      role: 'Mense sonder ’n rekening',
      roles: {
        none: 'Kom nie in nie: nooi hulle eers uit',
        scanner: 'Word skandeerders',
        support: 'Word ondersteuning',
        organizer: 'Word organiseerders',
      },
      roleHint: '’n Administrateur word altyd deur ’n administrateur gemaak.',
      strong: 'Die verskaffer vra self ’n tweede faktor',
      strongHint: 'Dan word personeel wat daarmee aanmeld, hier nie vir nog een gevra nie.',
      passwords: 'Personeel kan ook met ’n wagwoord aanmeld',
      passwordsHint:
        'Daarsonder behou administrateurs met ’n tweede faktor hul wagwoord: vir die dag waarop die verskaffer nie antwoord nie.',
      ownPasswordFirst:
        'Om dit af te skakel, kies eers ’n wagwoord van jou eie: meld af, en vra een op die aanmeldblad.',
      ownFirst: 'Om dit af te skakel, stel eers jou eie tweede faktor op.',
      test: 'Toets dit',
      tested: keys =>
        `Die verskaffer antwoord, met ${keys} ${keys === 1 ? 'sleutel' : 'sleutels'}. Stoor, en meld dan een keer in ’n ander blaaier aan.`,
      trouble: {
        address_not_allowed:
          'Hierdie adres mag nie gevra word nie: dit is nie https nie, of in ’n private netwerk. Die operateur van die bediener kan dit toelaat.',
        unreachable: 'Die verskaffer is nie bereikbaar nie. Kyk na die uitreiker.',
        time_out:
          'Die verskaffer het nie binne vyf sekondes geantwoord nie. Kyk na die uitreiker, of probeer later weer.',
        answer_too_large: 'Wat die verskaffer antwoord, is te groot om sy beskrywing te wees.',
        answer_invalid: 'By hierdie adres is geen beskrywing van ’n verskaffer nie. Kyk na die uitreiker.',
        other_issuer: 'Die verskaffer noem homself anders. Kopieer die uitreiker presies soos hy dit skryf.',
      },
      save: 'Stoor die verskaffer',
      saved: 'Gestoor. Die knoppie is op die aanmeldblad.',
      remove: 'Verwyder',
      removeTitle: 'Verwyder die identiteitsverskaffer?',
      removeNote:
        'Personeel meld weer met ’n wagwoord aan. Wie nie een het nie, kan op die aanmeldblad een aanvra.',
      removed: 'Die identiteitsverskaffer is verwyder.',
    },
  }
}
