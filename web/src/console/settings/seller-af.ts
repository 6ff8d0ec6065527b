import type { SellerWords } from './seller-en.ts'

export const sellerAf: SellerWords = {
  seller: {
    title: 'Verkoper',
    about: 'Kopers lees dit voor hulle betaal, en by hul kaartjies.',
    legalName: 'Regsnaam',
    legalNameHint: 'Kopers lees “Verkoop deur …”. Leeg: die naam van die organisasie.',
    vat: 'BTW-nommer',
    phone: 'Telefoon vir kopers',
    phoneHint: 'Soos +27 12 345 6789.',
    badPhone: 'Gebruik syfers, spasies en + ( ) . / - en begin met ’n syfer, + of (.',
    email: address => `Kopers skryf aan ${address}, die hulpadres hierbo.`,
    noEmail: 'Kopers sien geen e-\u2060posadres nie: daar is geen hulpadres hierbo nie.',
    refunds: 'Wanneer kry kopers geld terug?',
    refundsHint:
      'In ’n sin of twee, hoogstens 2 000 karakters. Hierdie teks verander geen reël van die stelsel nie.',
    termsAs: 'Verkoopvoorwaardes',
    ways: { none: 'Geen', url: '’n Skakel', text: '’n Teks' },
    url: 'Adres van die voorwaardes',
    badUrl: 'Gebruik ’n volledige adres wat met https:// begin',
    terms: 'Teks van die voorwaardes',
    termsHint: 'Hoogstens 9 000 karakters; ’n leë reël skei paragrawe.',
    save: 'Stoor die verkoper',
    saved: 'Kopers sien dit van nou af.',
  },
}
