/**
 * RFC 9591, appendix E.1: FROST(Ed25519, SHA-512), 2 of 3, participants 1 and 3. All values are hex in
 * the encodings of section 6.1. Verifying shares are not in the RFC: they are the participant shares
 * times the base point.
 */
export const RFC9591_ED25519 = {
  groupSecretKey: '7b1c33d3f5291d85de664833beb1ad469f7fb6025a0ec78b3a790c6e13a98304',
  groupPublicKey: '15d21ccd7ee42959562fc8aa63224c8851fb3ec85a3faf66040d380fb9738673',
  sharePolynomialCoefficient: '178199860edd8c62f5212ee91eff1295d0d670ab4ed4506866bae57e7030b204',
  message: '74657374',
  signers: [
    {
      identifier: 1,
      participantShare: '929dcc590407aae7d388761cddb0c0db6f5627aea8e217f4a033f2ec83d93509',
      verifyingShare: 'fc2c9b8e335c132d9ebe0403c9317aac480bbbf8cbdb1bc3730bb68eb60dadf9',
      hidingNonceRandomness: '0fd2e39e111cdc266f6c0f4d0fd45c947761f1f5d3cb583dfcb9bbaf8d4c9fec',
      bindingNonceRandomness: '69cd85f631d5f7f2721ed5e40519b1366f340a87c2f6856363dbdcda348a7501',
      hidingNonce: '812d6104142944d5a55924de6d49940956206909f2acaeedecda2b726e630407',
      bindingNonce: 'b1110165fc2334149750b28dd813a39244f315cff14d4e89e6142f262ed83301',
      hidingNonceCommitment: 'b5aa8ab305882a6fc69cbee9327e5a45e54c08af61ae77cb8207be3d2ce13de3',
      bindingNonceCommitment: '67e98ab55aa310c3120418e5050c9cf76cf387cb20ac9e4b6fdb6f82a469f932',
      signatureShare: '001719ab5a53ee1a12095cd088fd149702c0720ce5fd2f29dbecf24b7281b603',
    },
    {
      identifier: 3,
      participantShare: 'd3cb090a075eb154e82fdb4b3cb507f110040905468bb9c46da8bdea643a9a02',
      verifyingShare: '2cff4148a2f965801fb1f25f1d2a4e5df2f75b3a57cd06f30471c2c774419a41',
      hidingNonceRandomness: '86d64a260059e495d0fb4fcc17ea3da7452391baa494d4b00321098ed2a0062f',
      bindingNonceRandomness: '13e6b25afb2eba51716a9a7d44130c0dbae0004a9ef8d7b5550c8a0e07c61775',
      hidingNonce: 'c256de65476204095ebdc01bd11dc10e57b36bc96284595b8215222374f99c0e',
      bindingNonce: '243d71944d929063bc51205714ae3c2218bd3451d0214dfb5aeec2a90c35180d',
      hidingNonceCommitment: 'cfbdb165bd8aad6eb79deb8d287bcc0ab6658ae57fdcc98ed12c0669e90aec91',
      bindingNonceCommitment: '7487bc41a6e712eea2f2af24681b58b1cf1da278ea11fe4e8b78398965f13552',
      signatureShare: 'bd86125de990acc5e1f13781d8e32c03a9bbd4c53539bbc106058bfd14326007',
    },
  ],
  signature:
    '36282629c383bb820a88b71cae937d41f2f2adfcc3d02e55507e2fb9e2dd3cbe' +
    'bd9d2b0844e49ae0f3fa935161e1419aab7b47d21a37ebeae1f17d4987b3160b',
} as const;
