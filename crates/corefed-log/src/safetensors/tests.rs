use super::*;

fn tensor(name: &str, shape: &[usize], data: TensorData) -> Tensor {
    Tensor { name: name.to_owned(), shape: shape.to_vec(), data }
}

/// The whole file as one piece.
fn file(tensors: &[Tensor]) -> Vec<u8> {
    let ordered = ordered(tensors).unwrap();
    let mut bytes = header(&[("k", "v \"w\"".to_owned())], &ordered);
    for tensor in ordered {
        tensor
            .data
            .chunks(|chunk| {
                bytes.extend(chunk);
                Ok(())
            })
            .unwrap();
    }
    bytes
}

fn read(bytes: &[u8]) -> Result<Vec<Tensor>, Damage> {
    let mut reader = bytes;
    let head = Head::read(&mut reader, bytes.len() as u64)?;
    assert_eq!(head.metadata["k"], "v \"w\"");
    head.tensors(|bytes| reader.read_exact(bytes))
}

#[test]
fn a_file_is_these_bytes() {
    let tensors = [
        tensor("b", &[1, 2], TensorData::F32(vec![1.0, -2.0])),
        tensor("c", &[], TensorData::F64(vec![0.5])),
        tensor("a", &[0], TensorData::F32(vec![])),
    ];
    let text = "{\"__metadata__\":{\"k\":\"v \\\"w\\\"\"},\
                \"c\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]},\
                \"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[8,8]},\
                \"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]}}";
    let padded = text.len().next_multiple_of(8);
    let mut expected = (padded as u64).to_le_bytes().to_vec();
    expected.extend(format!("{text:padded$}").as_bytes());
    expected.extend([0, 0, 0, 0, 0, 0, 0xe0, 0x3f]);
    expected.extend([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
    assert_eq!(file(&tensors), expected);
    let [b, c, a] = tensors;
    assert_eq!(read(&expected).unwrap(), [c, a, b]);
}

#[test]
fn the_order_of_tensors_does_not_reach_the_bytes() {
    let mut tensors = vec![
        tensor("x", &[1], TensorData::F32(vec![1.0])),
        tensor("y", &[1], TensorData::F64(vec![2.0])),
        tensor("w", &[1], TensorData::F32(vec![3.0])),
    ];
    let bytes = file(&tensors);
    tensors.reverse();
    assert_eq!(file(&tensors), bytes);
}

#[test]
fn bits_survive_in_files_of_several_chunks() {
    let singles: Vec<f32> =
        (0..40_000u32).map(|n| f32::from_bits(n.wrapping_mul(107_374))).collect();
    let bits: Vec<u32> = singles.iter().map(|value| value.to_bits()).collect();
    let bytes = file(&[tensor("x", &[200, 200], TensorData::F32(singles))]);
    let read = read(&bytes).unwrap();
    let TensorData::F32(values) = &read[0].data else { panic!("{read:?}") };
    assert_eq!(values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), bits);
    let nan = TensorData::F64(vec![f64::from_bits(0x7ff8_0000_dead_beef)]);
    let read = self::read(&file(&[tensor("x", &[1], nan)])).unwrap();
    let TensorData::F64(values) = &read[0].data else { panic!("{read:?}") };
    assert_eq!(values[0].to_bits(), 0x7ff8_0000_dead_beef);
}

#[test]
fn shapes_and_names_are_checked_before_anything_is_written() {
    let values = || TensorData::F32(vec![0.0; 6]);
    let error = ordered(&[tensor("x", &[2, 2], values())]).unwrap_err();
    assert_eq!(error.to_string(), "tensor `x` has shape [2, 2] but 6 values");
    assert!(ordered(&[tensor("x", &[usize::MAX, 2], values())]).is_err());
    let twice = [tensor("x", &[6], values()), tensor("x", &[3, 2], values())];
    assert!(matches!(ordered(&twice), Err(LogError::TensorName { .. })));
    let reserved = [tensor("__metadata__", &[6], values())];
    assert!(matches!(ordered(&reserved), Err(LogError::TensorName { .. })));
}

#[test]
fn sizes_that_the_file_does_not_have_are_refused_before_allocation() {
    for header in [
        "{\"__metadata__\":{\"k\":\"v \\\"w\\\"\"},\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}",
        "{\"x\":{\"dtype\":\"F64\",\"shape\":[1000000000000],\"data_offsets\":[0,8000000000000]}}",
        "{\"x\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[8,8]}}",
        "{\"x\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[0,18446744073709551615]}}",
        "{\"__metadata__\":3}",
    ] {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        assert!(matches!(read(&bytes), Err(Damage::Contents(_))), "{header}");
    }
    let huge = u64::MAX.to_le_bytes();
    assert!(matches!(read(&huge), Err(Damage::Contents(_))));
}
