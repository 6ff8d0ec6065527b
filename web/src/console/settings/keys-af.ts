import type { Format } from '../../kit/words/format.ts'
import type { KeysWords } from './keys-en.ts'

export function keysAf(format: Format): KeysWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    apiKeys: {
      title: 'API-sleutels',
      about: 'Vir jou eie programme. Gee elkeen sy eie sleutel, sodat jy een kan beëindig sonder die ander.',
      none: 'Nog geen sleutels nie',
      noneNote:
        'Met ’n sleutel werk ’n program vir jou organisasie sonder dat ’n persoon aanmeld: jou webwinkel verkoop byvoorbeeld kaartjies daarmee.',
      columns: { name: 'Program', role: 'Rol', made: 'Gemaak', used: 'Laas gebruik' },
      unused: 'Nog nie gebruik nie',
      make: 'Maak ’n sleutel',
      makeTitle: 'Maak ’n API-sleutel',
      makeNote: 'Dit werk totdat jy dit beëindig, en hou die rol wat jy nou kies.',
      name: 'Naam van die program',
      nameHint: 'Later sê dit vir jou watter program die sleutel het, soos Webwinkel.',
      role: 'Rol',
      ofRole: {
        scanner: 'Laat mense by die hek in, met die kaartjielyste daarvoor.',
        support:
          'Lees geleenthede en bestellings, stel vasgehoue plekke vry, stuur en skuif kaartjies en reik hulle weer uit.',
        organizer: 'Verkoop en betaal terug, maak en verander geleenthede: wat ’n webwinkel nodig het.',
        admin: 'Alles, ook ander sleutels en aanmelding. Kies dit net as die program dit nodig het.',
      },
      madeTitle: name => `Die sleutel van “${name}”`,
      once: 'Kopieer die sleutel nou: dit kan nie weer gewys word nie. As dit verlore raak, beëindig dit en maak ’n ander een.',
      key: 'Sleutel',
      copy: 'Kopieer',
      byHand:
        'Jou blaaier laat ons nie toe om dit te kopieer nie. Dit is gekies: druk Ctrl C, of hou dit in en kies Kopieer.',
      where:
        'Die program stuur dit met elke versoek, in die kopveld “Authorization: Bearer …”. Hou dit op jou bediener, nooit in ’n webblad of ’n toep nie.',
      kept: 'Ek het dit gebêre',
      end: 'Beëindig',
      endOf: name => `Beëindig sleutel ${name}`,
      endTitle: name => `Beëindig die sleutel van “${name}”?`,
      endNote: name =>
        `Programme wat dit gebruik, hou dadelik op werk, op elke bediener, en hul regstreekse strome eindig. Wat hulle gedoen het, bly. Dit kan nie ongedaan gemaak word nie: “${name}” sal ’n nuwe sleutel nodig hê.`,
      endButton: 'Beëindig die sleutel',
      ended: name => `Die sleutel van “${name}” is beëindig.`,
    },
    ticketKeys: {
      title: 'Kaartjiesleutels',
      about:
        'Jou sleutel onderteken elke kaartjie. Die handtekening sê vir ’n hek dat ’n kaartjie nie vervals is nie.',
      none: 'Daar is nog geen sleutel nie: die eerste kaartjie maak dit.',
      columns: {
        key: 'Sleutel',
        from: 'Onderteken vanaf',
        until: 'Onderteken tot',
        tickets: 'Sy kaartjies',
      },
      states: { signing: 'Onderteken nou', verifying: 'Vervang', retired: 'Onttrek' },
      now: 'Nou',
      good: 'Maak hekke oop',
      goodUntil: 'Maak hekke oop totdat die sleutel onttrek word',
      over: when => `Maak geen hek oop nie sedert ${when}`,
      showRetired: count => `Wys ${many(count, 'onttrekte sleutel', 'onttrekte sleutels')}`,
      copy: 'Kopieer publieke sleutel',
      copyOf: key => `Kopieer publieke sleutel van ${key}`,
      rotate: 'Vervang',
      onlyAdmin: 'Net ’n administrateur kan sleutels vervang.',
      rotateTitle: 'Onderteken kaartjies met ’n nuwe sleutel?',
      signs: '’n Nuwe sleutel onderteken van nou af',
      signsNote: 'Kaartjies wat van nou af gewys, gedruk of gestuur word, het sy handtekening.',
      stay: 'Kaartjies wat mense het, bly geldig',
      stayNote: 'Ook op papier en in skermskote: hekke aanvaar steeds die ouer sleutels.',
      stop: 'Kaartjies wat mense gedruk of gestoor het, werk nie meer nie',
      stopNote:
        'Elke hek met ’n netwerk weier hulle dadelik. Stuur weer vir kopers hul kaartjies, of laat hulle die skakel in hul e-pos oopmaak: dit wys die nuwes.',
      offline: 'Hekke sonder ’n netwerk weet dit nog nie',
      offlineNote:
        'Totdat hulle weer ’n netwerk het, weier hulle kaartjies met die nuwe handtekening. Vervang terwyl al die hekke een het, of voordat die deure oopmaak.',
      offlineStopNote:
        'Totdat hulle weer ’n netwerk het, laat hulle die ouer kaartjies in, en weier dié met die nuwe handtekening.',
      retire: 'Ouer kaartjies moet ophou werk',
      retireHint:
        'Vir ’n sleutel wat vreemdelinge dalk ken, byvoorbeeld nadat ’n rugsteun verlore geraak het.',
      rotateButton: 'Vervang die sleutel',
      retireButton: 'Vervang en stop ouer kaartjies',
      rotated: 'Kaartjies word met ’n nuwe sleutel onderteken.',
    },
    stripe: {
      title: 'Betalings',
      about: 'Wie se rekening by Stripe die geld van jou kopers ontvang.',
      byAccount: account => `${account} ontvang die geld.`,
      byPlatform: 'Die platform se eie rekening ontvang die geld.',
      waits: account =>
        `${account} wag vir die mense wat hierdie installasie bestuur: hulle maak seker wie s’n dit is. Vra hulle om dit te bevestig. Tot dan verander niks.`,
      simulated:
        'Betalings word op hierdie bediener nageboots: geen geld beweeg nie. Die rekening tel sodra Stripe opgestel is.',
      noGateway:
        'Hierdie bediener ontvang geen betalings nie: Stripe is nie opgestel nie. Verkoop intussen by die kaartjieskantoor of deur jou eie betaalblad. Die rekening tel sodra Stripe opgestel is.',
      account: 'Jou rekening by Stripe',
      accountHint:
        'Dit begin met acct_ en moet met die platform verbind wees (Stripe Connect). Leeg: die platform se eie rekening.',
      malformed: 'Dit is nie ’n rekening van Stripe nie. Dit begin met acct_, dan letters en syfers.',
      change: 'Verander die rekening',
      toAccount: account => `Laat ${account} die geld ontvang?`,
      waitsNote:
        'Dit wag totdat die mense wat hierdie installasie bestuur, bevestig het wie s’n dit is. Tot dan verander niks.',
      stays: account => `Laat ${account} voortgaan om die geld te ontvang?`,
      staysNote: 'Dan wag geen ander rekening nie.',
      wanted: 'Gestoor. Dit wag om bevestig te word.',
      unchanged: 'Gestoor. Niks wag meer nie.',

      toPlatform: 'Laat die platform se eie rekening die geld ontvang?',
      changeNote:
        'Betalings wat kopers van nou af begin, gaan na hierdie rekening. Betalings wat klaar gemaak is, bly by die rekening wat hulle ontvang het, en so ook hul terugbetalings en geskille.',
      notConnected:
        'Stripe weier betalings vir ’n rekening wat nie verbind is nie: kopers sou nie kon betaal nie.',
      changed: 'Gestoor. Dit tel vir die volgende betaling.',
    },
    seatUse: {
      title: 'Gebruik van die sitplekke',
      note: '’n Vry sitplek sonder ’n vry een langsaan is moeilik om te verkoop.',
      free: 'Vry sitplekke',
      ofSeats: seats => `van ${n(seats)}`,
      alone: 'Vry en alleen',
      share: percent => `${percent} % van alle sitplekke`,
      wheelchair: 'Rolstoelplekke vry',
      taken: count => `${n(count)} geneem`,
      companions: 'Metgeselsitplekke gehou',
      companionsRest: (free, taken) => `${n(free)} vry vir almal · ${n(taken)} geneem`,
    },
  }
}
