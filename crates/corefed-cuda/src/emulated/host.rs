//! Runs the very kernels of the device by a C++ compiler's program on the host.

use std::fmt::Write as _;
use std::process::Command;
use std::{env, fs};

use crate::steps::Kernel;

const EMULATOR: &str = include_str!("../../kernels/emulator.hpp");

/// Addresses say which array they are in: these bits, from 1.
pub(super) const REGION: u64 = 1 << 40;

/// Takes this many steps and returns the first array as it is then; `None` without a compiler. `name` is of this run
/// alone.
pub(super) fn run(
    name: &str,
    kernels: &[Kernel],
    steps: usize,
    regions: &[Vec<u8>; 6],
) -> Option<Vec<u8>> {
    let folder = env::temp_dir().join(format!("corefed-cuda-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    for (index, region) in regions.iter().enumerate() {
        fs::write(folder.join(index.to_string()), region).expect("a file");
    }
    let (text, binary) = (folder.join("step.cpp"), folder.join("step"));
    fs::write(&text, program(kernels, steps)).expect("a file");
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O0", "-w", "-fno-strict-aliasing", "-o"])
        .args([&binary, &text])
        .output()
        .ok()?;
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&binary).arg(&folder).output().expect("the program");
    assert!(ran.status.success(), "{ran:?}");
    let out = fs::read(folder.join("out")).expect("a result");
    fs::remove_dir_all(&folder).expect("a folder of ours");
    Some(out)
}

/// The program that runs kernels and writes the memory back.
fn program(kernels: &[Kernel], steps: usize) -> String {
    let mut text = String::from(EMULATOR);
    let mut run = String::new();
    for (index, kernel) in kernels.iter().enumerate() {
        let own = kernel.source.emulated().replace("extern \"C\" ", "").replace(
            "extern __shared__ __align__(16) float shared[];",
            "float* const shared = emulator::shared_memory;",
        );
        let name = kernel.source.name;
        let _ = write!(
            text,
            "namespace k{index} {{\n{own}\nstatic void call(const void* a) {{ {name}(*(const Args*)a); }} }}\n"
        );
        let args = kernel.args;
        let numbers = [
            args.agents,
            args.clock,
            args.order,
            args.x,
            args.shade,
            args.labels,
            args.params,
            args.factors,
            args.velocity,
            args.drift,
            args.sum,
            args.y,
            args.z,
            args.index,
            args.dy,
            args.dx,
            args.before,
            args.largest,
            args.partial,
            args.arrivals,
            args.losses,
            args.correct,
            args.stride,
        ];
        let numbers = numbers.map(|number| format!("{number}ull")).join(", ");
        let (x, y, z) = kernel.launch.grid;
        let _ = writeln!(
            run,
            "run(k{index}::call, {{{numbers}}}, {}, {}, {}, {}, {{{x}, {y}, {z}}}, {}, {});",
            args.batch,
            args.splits,
            args.training,
            args.layer,
            kernel.launch.threads,
            kernel.launch.shared
        );
    }
    let _ = write!(
        text,
        r#"
static char* regions[6];
static size_t sizes[6];
struct Flat {{ uint64_t numbers[23]; uint32_t batch, splits, training, layer; }};
static void run(void (*kernel)(const void*), std::initializer_list<uint64_t> list, uint32_t batch,
                uint32_t splits, uint32_t training, uint32_t layer, dim3 grid, unsigned threads,
                unsigned shared) {{
    Flat flat = {{}};
    int at = 0;
    for (uint64_t number : list) flat.numbers[at++] = number;
    for (int i = 0; i < 22; ++i) {{
        const uint64_t region = flat.numbers[i] / {REGION}ull;
        if (region) flat.numbers[i] = (uint64_t)regions[region - 1] + flat.numbers[i] % {REGION}ull;
    }}
    flat.batch = batch; flat.splits = splits; flat.training = training; flat.layer = layer;
    emulator::launch(kernel, &flat, grid, threads, shared);
}}
int main(int, char** argv) {{
    for (int r = 0; r < 6; ++r) {{
        char path[4096];
        snprintf(path, sizeof path, "%s/%d", argv[1], r);
        FILE* file = fopen(path, "rb");
        fseek(file, 0, SEEK_END);
        sizes[r] = ftell(file);
        regions[r] = (char*)calloc(sizes[r] + 64, 1);
        rewind(file);
        if (fread(regions[r], 1, sizes[r], file) != sizes[r]) return 3;
        fclose(file);
    }}
    for (int step = 0; step < {steps}; ++step) {{
        {run}
    }}
    char path[4096];
    snprintf(path, sizeof path, "%s/out", argv[1]);
    FILE* file = fopen(path, "wb");
    fwrite(regions[0], 1, sizes[0], file);
    return fclose(file);
}}
"#
    );
    text
}
