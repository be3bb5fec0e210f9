// Convolutions on packed images. The host puts the functions of the layouts before this text:
// input_pixel, filter_pixel, bias_pixel, output_pixel (tensorlane/opencl/kernel_text.h), and the
// extents CHANNELS, OUT_CHANNELS, HEIGHT, WIDTH as options.
//
// 3x3, stride 1, one row and column of zeros around the input. A work-item computes one pixel of
// the output: four channels at one position. Work-items count (column, block of channels, row).

// What is read outside the image is 0: the columns that CONV2D_FILTER does not have when the number
// of input channels is no multiple of four.
constant sampler_t kZeroOutside =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

float4 filter_at(read_only image2d_t filter, const int2 pixel) {
  return read_imagef(filter, kZeroOutside, pixel);
}

kernel void conv3x3(read_only image2d_t input, read_only image2d_t filter, read_only image2d_t bias,
                    write_only image2d_t output, const int rows) {
  const int w = get_global_id(0), o = get_global_id(1) * 4, row = get_global_id(2);
  if (w >= WIDTH || o >= OUT_CHANNELS || row >= rows) return;
  const int n = row / HEIGHT, h = row - n * HEIGHT;
  float4 sum = read_imagef(bias, kZeroOutside, bias_pixel(o));
  for (int kh = 0; kh < 3; ++kh) {
    for (int kw = 0; kw < 3; ++kw) {
      const int y = h + kh - 1, x = w + kw - 1;
      if (y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH) continue;
      for (int c = 0; c < CHANNELS; c += 4) {
        const float4 in = read_imagef(input, kZeroOutside, input_pixel(n, y, x, c));
        // Lanes of the filter are output channels: one pixel per input channel.
        sum += in.x * filter_at(filter, filter_pixel(o, c, kh, kw));
        sum += in.y * filter_at(filter, filter_pixel(o, c + 1, kh, kw));
        sum += in.z * filter_at(filter, filter_pixel(o, c + 2, kh, kw));
        sum += in.w * filter_at(filter, filter_pixel(o, c + 3, kh, kw));
      }
    }
  }
  write_imagef(output, output_pixel(n, h, w, o), sum);
}

kernel void depthwise3x3(read_only image2d_t input, read_only image2d_t filter,
                         read_only image2d_t bias, write_only image2d_t output, const int rows) {
  const int w = get_global_id(0), c = get_global_id(1) * 4, row = get_global_id(2);
  if (w >= WIDTH || c >= CHANNELS || row >= rows) return;
  const int n = row / HEIGHT, h = row - n * HEIGHT;
  float4 sum = read_imagef(bias, kZeroOutside, bias_pixel(c));
  for (int kh = 0; kh < 3; ++kh) {
    for (int kw = 0; kw < 3; ++kw) {
      const int y = h + kh - 1, x = w + kw - 1;
      if (y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH) continue;
      sum += read_imagef(input, kZeroOutside, input_pixel(n, y, x, c)) *
             filter_at(filter, filter_pixel(0, c, kh, kw));
    }
  }
  write_imagef(output, output_pixel(n, h, w, c), sum);
}
