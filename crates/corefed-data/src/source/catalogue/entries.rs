//! The sets themselves.

use super::{Archive, Entry, KnownFile, Origin, Published, Reader};
use crate::source::rows::both;
use crate::source::{Rows, adult, cifar, generated, heart, idx};

/// Every set, in the order of a list.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "hospitals",
        title: "Hospitals",
        about: "five made-up hospitals, one careless and one unlike the others, 2 classes",
        licence: "that of corefed",
        citation: "corefed",
        agent: Some("hospital"),
        target: Some("disease"),
        origin: Origin::Generated(generated::hospitals),
    },
    Entry {
        name: "synthetic",
        title: "Synthetic(alpha, beta)",
        about: "100 devices, 60 features, 10 classes, as in the FedProx and q-FFL papers",
        licence: "that of corefed",
        citation: "Li et al., Federated Optimization in Heterogeneous Networks, 2020",
        agent: Some("device"),
        target: Some("class"),
        origin: Origin::Generated(generated::synthetic),
    },
    Entry {
        name: "shapes",
        title: "Shapes",
        about: "small grey pictures drawn by code, to try networks without a download",
        licence: "that of corefed",
        citation: "corefed",
        agent: None,
        target: None,
        origin: Origin::Generated(generated::shapes),
    },
    Entry {
        name: "adult",
        title: "UCI Adult",
        about: "census income: 32,561 + 16,281 rows, 14 features, 2 classes",
        licence: "CC BY 4.0",
        citation: "Becker and Kohavi, Adult, UCI Machine Learning Repository, 1996",
        agent: None,
        target: Some(adult::TARGET),
        origin: Origin::Published(Published {
            addresses: &["https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"],
            files: &ADULT,
            archive: None,
            read: Reader::Split(|folder| adult::read(folder).map(both)),
        }),
    },
    Entry {
        name: "heart",
        title: "UCI Heart Disease",
        about: "four hospitals: 303 + 294 + 123 + 200 rows, 13 features, 2 classes",
        licence: "CC BY 4.0",
        citation: "Janosi et al., Heart Disease, UCI Machine Learning Repository, 1989",
        agent: Some("hospital"),
        target: Some(heart::TARGET),
        origin: Origin::Published(Published {
            addresses: &[
                "https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/",
            ],
            files: &HEART,
            archive: None,
            read: Reader::Whole(|folder| heart::read(folder).map(Rows::Table)),
        }),
    },
    Entry {
        name: "mnist",
        title: "MNIST",
        about: "handwritten digits: 60,000 + 10,000 grey images of 28 x 28, 10 classes",
        licence: "CC BY-SA 3.0",
        citation: "LeCun et al., Gradient-based learning applied to document recognition, 1998",
        agent: None,
        target: None,
        origin: Origin::Published(Published {
            // Byte-identical copies that common loaders point to.
            addresses: &[
                "https://storage.googleapis.com/cvdf-datasets/mnist/",
                "https://ossci-datasets.s3.amazonaws.com/mnist/",
            ],
            files: &MNIST,
            archive: None,
            read: Reader::Split(|folder| idx::read(folder, "mnist").map(both)),
        }),
    },
    Entry {
        name: "fashion-mnist",
        title: "Fashion-MNIST",
        about: "articles of clothing: 60,000 + 10,000 grey images of 28 x 28, 10 classes",
        licence: "MIT",
        citation: "Xiao et al., Fashion-MNIST, arXiv:1708.07747, 2017",
        agent: None,
        target: None,
        origin: Origin::Published(Published {
            addresses: &[
                "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
            ],
            files: &FASHION_MNIST,
            archive: None,
            read: Reader::Split(|folder| idx::read(folder, "fashion-mnist").map(both)),
        }),
    },
    Entry {
        name: "cifar10",
        title: "CIFAR-10",
        about: "photographs: 50,000 + 10,000 colour images of 32 x 32, 10 classes",
        licence: "none stated",
        citation: "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
        agent: None,
        target: None,
        origin: Origin::Published(Published {
            addresses: &["https://www.cs.toronto.edu/~kriz/"],
            files: &CIFAR10,
            archive: Some(Archive { file: CIFAR10_ARCHIVE, prefix: "cifar-10-batches-bin/" }),
            read: Reader::Split(|folder| cifar::read(folder).map(both)),
        }),
    },
];

const ADULT: [KnownFile; 2] = [
    KnownFile {
        name: "adult.data",
        size: 3_974_305,
        sha256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        md5: "5d7c39d7b8804f071cdd1f2a7c460872",
        inflated: None,
    },
    KnownFile {
        name: "adult.test",
        size: 2_003_153,
        sha256: "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        md5: "35238206dfdf7f1fe215bbb874adecdc",
        inflated: None,
    },
];

const HEART: [KnownFile; 4] = [
    KnownFile {
        name: "processed.cleveland.data",
        size: 18_461,
        sha256: "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
        md5: "2d91a8ff69cfd9616aa47b59d6f843db",
        inflated: None,
    },
    KnownFile {
        name: "processed.hungarian.data",
        size: 10_263,
        sha256: "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796",
        md5: "22e96bee155b5973568101c93b3705f6",
        inflated: None,
    },
    KnownFile {
        name: "processed.switzerland.data",
        size: 4_109,
        sha256: "834a405ccf5b66ab4056bb77794adc8df0b7125186454c0a1d002d33c6c3b314",
        md5: "9a87f7577310b3917730d06ba9349e20",
        inflated: None,
    },
    KnownFile {
        name: "processed.va.data",
        size: 6_737,
        sha256: "e7c93d8d0d2acdadfa4c5e8de768e2191e7f618b952e29623f1f0d5949ff6b8f",
        md5: "4249d03ca7711e84f4444768c9426170",
        inflated: None,
    },
];

const MNIST: [KnownFile; 4] = [
    KnownFile {
        name: "train-images-idx3-ubyte.gz",
        size: 9_912_422,
        sha256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        md5: "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        inflated: Some(47_040_016),
    },
    KnownFile {
        name: "train-labels-idx1-ubyte.gz",
        size: 28_881,
        sha256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        md5: "d53e105ee54ea40749a09fcbcd1e9432",
        inflated: Some(60_008),
    },
    KnownFile {
        name: "t10k-images-idx3-ubyte.gz",
        size: 1_648_877,
        sha256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        md5: "9fb629c4189551a2d022fa330f9573f3",
        inflated: Some(7_840_016),
    },
    KnownFile {
        name: "t10k-labels-idx1-ubyte.gz",
        size: 4_542,
        sha256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        md5: "ec29112dd5afa0611ce80d1b7f02629c",
        inflated: Some(10_008),
    },
];

const FASHION_MNIST: [KnownFile; 4] = [
    KnownFile {
        name: "train-images-idx3-ubyte.gz",
        size: 26_421_880,
        sha256: "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        md5: "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        inflated: Some(47_040_016),
    },
    KnownFile {
        name: "train-labels-idx1-ubyte.gz",
        size: 29_515,
        sha256: "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        md5: "25c81989df183df01b3e8a0aad5dffbe",
        inflated: Some(60_008),
    },
    KnownFile {
        name: "t10k-images-idx3-ubyte.gz",
        size: 4_422_102,
        sha256: "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        md5: "bef4ecab320f06d8554ea6380940ec79",
        inflated: Some(7_840_016),
    },
    KnownFile {
        name: "t10k-labels-idx1-ubyte.gz",
        size: 5_148,
        sha256: "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        md5: "bb300cfdad3c16e7a12a480ee83cd310",
        inflated: Some(10_008),
    },
];

const CIFAR10: [KnownFile; 6] = [
    KnownFile {
        name: "data_batch_1.bin",
        size: 30_730_000,
        sha256: "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
        md5: "5dd7e06a14cb22eb9f671a540d1b7c25",
        inflated: None,
    },
    KnownFile {
        name: "data_batch_2.bin",
        size: 30_730_000,
        sha256: "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
        md5: "5ea93a67294ea407fff1d09f752e9692",
        inflated: None,
    },
    KnownFile {
        name: "data_batch_3.bin",
        size: 30_730_000,
        sha256: "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
        md5: "942cd6a4bcdd0dd3c604fbe906cb4421",
        inflated: None,
    },
    KnownFile {
        name: "data_batch_4.bin",
        size: 30_730_000,
        sha256: "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
        md5: "ae636b3ba5c66a11e91e8cb52e771fcb",
        inflated: None,
    },
    KnownFile {
        name: "data_batch_5.bin",
        size: 30_730_000,
        sha256: "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
        md5: "53f37980c15c3d472c316c40844f3f0d",
        inflated: None,
    },
    KnownFile {
        name: "test_batch.bin",
        size: 30_730_000,
        sha256: "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
        md5: "803d5f7f4d78ea53de84dbe85f74fb6d",
        inflated: None,
    },
];

const CIFAR10_ARCHIVE: KnownFile = KnownFile {
    name: "cifar-10-binary.tar.gz",
    size: 170_052_171,
    sha256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
    md5: "c32a1d4ab5d03f1284b67883e8d87530",
    inflated: None,
};
